#pragma once

int sum(const int* numbers, int count);
