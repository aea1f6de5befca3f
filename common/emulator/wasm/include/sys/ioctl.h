// For declarations only: there is no terminal.
#pragma once

#include_next <sys/ioctl.h>

#define TIOCGWINSZ 0x5413

struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};
