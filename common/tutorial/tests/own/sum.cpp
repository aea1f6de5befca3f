// A host source next to a .cu file.
#include "sum.h"

int sum(const int* numbers, int count) {
    int total = 0;
    for (int i = 0; i < count; ++i) total += numbers[i];
    return total;
}
