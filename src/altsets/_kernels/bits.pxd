# Bit counting, which C compilers do in one instruction and Cython has no name for.
cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    static CYTHON_UNUSED __inline int altsets_ones(unsigned long long x) { return (int)__popcnt64(x); }
    static CYTHON_UNUSED __inline int altsets_lowest(unsigned long long x) { unsigned long i; _BitScanForward64(&i, x); return (int)i; }
    #else
    static CYTHON_UNUSED inline int altsets_ones(unsigned long long x) { return __builtin_popcountll(x); }
    static CYTHON_UNUSED inline int altsets_lowest(unsigned long long x) { return __builtin_ctzll(x); }
    #endif
    """
    int ones "altsets_ones"(unsigned long long x) noexcept nogil
    int lowest "altsets_lowest"(unsigned long long x) noexcept nogil
