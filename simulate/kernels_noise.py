"""Compiled random numbers: those of `beliefgraph.simulate.noise`, several times faster.

Everything is written so that the compiler turns it into vector instructions: a counter in place of
a state, polynomials in place of calls.
"""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np
from numpy.typing import NDArray

from beliefgraph.simulate.noise import CHUNK, HALF, MIX_1, MIX_2, ROW, WEYL

__all__ = ["CACHE", "coins", "coins_row", "normals", "normals_row"]


def _probe() -> None:
    """Stand in for a kernel."""


def _can_cache() -> bool:
    """Whether numba finds a place to keep compiled code (an install may be read-only)."""
    try:
        numba.njit(cache=True)(_probe)
    except RuntimeError:
        return False
    return True


CACHE: Final = _can_cache()
_F4: Final = np.float32
_ZERO, _HALF, _ONE = _F4(0), _F4(0.5), _F4(1)
_WEYL, _MIX_1, _MIX_2 = np.uint64(WEYL), np.uint64(MIX_1), np.uint64(MIX_2)
_ROW, _LOW = np.uint64(ROW), np.uint64(2**32 - 1)


@numba.njit(inline="always", nogil=True, error_model="numpy", fastmath={"contract"}, cache=CACHE)
def _log(m: Any, exponent: Any) -> Any:
    # log(m 2^exponent) for m near 1 (logf of Cephes)
    x = m - _ONE
    z = x * x
    y = _F4(7.0376836292e-2)
    y = y * x + _F4(-1.1514610310e-1)
    y = y * x + _F4(1.1676998740e-1)
    y = y * x + _F4(-1.2420140846e-1)
    y = y * x + _F4(1.4249322787e-1)
    y = y * x + _F4(-1.6668057665e-1)
    y = y * x + _F4(2.0000714765e-1)
    y = y * x + _F4(-2.4999993993e-1)
    y = y * x + _F4(3.3333331174e-1)
    small = y * x * z - _F4(2.12194440e-4) * exponent - _HALF * z
    return x + small + _F4(0.693359375) * exponent


@numba.njit(inline="always", nogil=True, error_model="numpy", fastmath={"contract"}, cache=CACHE)
def _turn(t: Any, quarter: Any) -> Any:
    # cos(2 pi t) for quarter 0, sin(2 pi t) for quarter 1, t in [0, 1) (sinf, cosf of Cephes)
    q = np.int32(_F4(4) * t + _HALF)
    x = (t - _F4(0.25) * _F4(q)) * _F4(6.283185307179586)
    z = x * x
    sine = ((_F4(-1.9515295891e-4) * z + _F4(8.3321608736e-3)) * z + _F4(-1.6666654611e-1)) * z
    sine = sine * x + x
    cosine = (_F4(2.443315711809948e-5) * z + _F4(-1.388731625493765e-3)) * z
    cosine = (cosine + _F4(4.166664568298827e-2)) * z * z - _HALF * z + _ONE
    q = q - quarter
    value = sine if q & 1 else cosine
    return -value if (q + 1) & 2 else value


@numba.njit(inline="always", nogil=True, error_model="numpy", cache=CACHE)
def mix(x: Any, key: Any) -> Any:
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x ^= key
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"}, cache=CACHE)
def normals_row(key_1: Any, key_2: Any, row: Any, first: Any, out: Any, words: Any) -> None:
    """Fill `out` with the normals of a row from chunk `first` on; words is (4, 512) scratch."""
    floats = words.view(np.float32)
    n = len(out)
    start = key_1 + (np.uint64(row) * _ROW + np.uint64(first * HALF)) * _WEYL
    for begin in range(0, n, 2 * HALF):
        for i in range(HALF):
            x = mix(start + np.uint64(i) * _WEYL, key_2)
            words[0, i] = (np.uint32(x & _LOW) >> np.uint32(9)) | np.uint32(0x3F800000)
            words[1, i] = np.uint32(x >> np.uint64(41)) | np.uint32(0x3F800000)
        start += np.uint64(HALF) * _WEYL
        for i in range(HALF):
            floats[2, i] = _F4(2) - floats[0, i]
        for i in range(HALF):  # u = m 2^shift, m near 1
            bits = np.int32(words[2, i])
            shift = np.int32(bits - np.int32(0x3F3504F3)) >> np.int32(23)
            words[0, i] = np.uint32(bits - (shift << np.int32(23)))
            floats[3, i] = _F4(shift)
        for i in range(HALF):
            floats[2, i] = np.sqrt(max(_F4(-2) * _log(floats[0, i], floats[3, i]), _ZERO))
        cosines = out[begin : min(begin + HALF, n)]
        sines = out[min(begin + HALF, n) : min(begin + 2 * HALF, n)]
        for i in range(len(cosines)):
            cosines[i] = floats[2, i] * _turn(floats[1, i] - _ONE, np.int32(0))
        for i in range(len(sines)):
            sines[i] = floats[2, i] * _turn(floats[1, i] - _ONE, np.int32(1))


@numba.njit(nogil=True, error_model="numpy", cache=CACHE)
def _normals(key_1: Any, key_2: Any, chunk: int, out: Any) -> None:
    words = np.empty((4, HALF), dtype=np.uint32)
    for row in range(out.shape[0]):
        normals_row(key_1, key_2, row, chunk, out[row], words)


@numba.njit(nogil=True, error_model="numpy", cache=CACHE)
def coins_row(key_1: Any, key_2: Any, row: Any, first: Any, out: Any) -> None:
    """Fill `out` with the 64-bit numbers of a row from number `first` on: four coins each."""
    start = key_1 + (np.uint64(row) * _ROW + np.uint64(first)) * _WEYL
    for i in range(len(out)):
        out[i] = mix(start + np.uint64(i) * _WEYL, key_2)


@numba.njit(nogil=True, error_model="numpy", cache=CACHE)
def _coins(key_1: Any, key_2: Any, number: int, out: Any) -> None:
    for row in range(out.shape[0]):
        coins_row(key_1, key_2, row, number, out[row])


def normals(key: tuple[int, int], first: int, out: NDArray[np.float32]) -> None:
    """Fill (rows, n_samples) with the normals of a key."""
    _normals(np.uint64(key[0]), np.uint64(key[1]), first // CHUNK, out)


def coins(key: tuple[int, int], first: int, out: NDArray[np.uint64]) -> None:
    """Fill (rows, n_samples / 4) with the coins of a key, four a number."""
    _coins(np.uint64(key[0]), np.uint64(key[1]), first // 4, out)
