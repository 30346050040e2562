"""The torch backend: the same draws and the same sums as numpy, on any device of torch.

Random numbers are made on the device from the same counters (`beliefgraph.simulate.noise`) in
64-bit whole numbers, so the coins are the very same and normals agree to float32 rounding. torch is
imported when the backend is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError, MissingPackageError
from beliefgraph.simulate.noise import CHUNK, HALF, MIX_1, MIX_2, ROW, WEYL, keys

if TYPE_CHECKING:
    from beliefgraph.simulate.compile import Model
    from beliefgraph.simulate.sample import Draws

__all__ = ["TorchArrays", "normals_and_coins", "propagate", "torch_arrays"]

Block = NDArray[np.float32]


def _signed(number: int) -> int:
    """Return the 64-bit pattern as torch's signed whole number."""
    return number - 2**64 if number >= 2**63 else number


def torch_arrays(device: str = "cpu") -> TorchArrays:
    """Return the array operations on a device ("cpu", "cuda", "cuda:1", "mps", ...).

    Raises
    ------
    MissingPackageError
        torch is not installed.
    InterventionError
        torch does not know the device, or has none of that kind here.
    """
    try:
        import torch
    except ImportError:
        raise MissingPackageError(
            "torch", "backend='torch'", 'pip install "beliefgraph[torch]"'
        ) from None
    try:
        found = torch.device(device)
        torch.zeros(1, device=found)
    except (RuntimeError, AssertionError, NotImplementedError) as problem:
        reason = str(problem).splitlines()[0]
        raise InterventionError(
            f"device: torch cannot compute on {device!r} here ({reason}); give 'cpu' or a device "
            "that torch lists"
        ) from None
    return TorchArrays(torch, found)


class TorchArrays:
    """The array operations that differ between numpy and torch, in torch."""

    def __init__(self, torch: Any, device: Any) -> None:
        self.xp = torch
        self.device = device
        self.double = torch.float64 if device.type != "mps" else torch.float32

    def put(self, array: NDArray[Any]) -> Any:
        """Take a numpy array to the device; unsigned 64-bit numbers keep their bits."""
        if array.dtype == np.uint64:
            array = array.view(np.int64)
        found = self.xp.from_numpy(np.require(array, requirements=["C", "W"]))
        if found.dtype == self.xp.float64:
            found = found.to(self.double)
        return found.to(self.device)

    def get(self, array: Any) -> NDArray[Any]:
        """Bring an array back to numpy."""
        return np.asarray(array.cpu().numpy())

    def empty(self, shape: tuple[int, ...], like: Any) -> Any:
        """Return an array of zeros with the type of another."""
        return self.xp.zeros(shape, dtype=like.dtype, device=self.device)

    def cast(self, array: Any, kind: Any) -> Any:
        """Return it in another type."""
        return array.to(kind)

    def mean(self, array: Any) -> Any:
        """Return the mean over the last axis in double precision, where the device has it."""
        return array.mean(-1, dtype=self.double)

    def sort(self, array: Any) -> Any:
        """Return it sorted along the last axis."""
        return array.sort(-1).values

    def _bits(self, keys: Any, rows: Any, first: int, count: int) -> Any:
        """(..., count) 64-bit numbers of rows; keys (..., 2) and rows (...) have one shape."""

        def shifted(x: Any, by: int) -> Any:  # torch shifts the sign in
            return (x >> by) & (2 ** (64 - by) - 1)

        start = keys[..., 0] + (rows * ROW + first) * _signed(WEYL)
        steps = self.xp.arange(count, dtype=self.xp.int64, device=self.device) * _signed(WEYL)
        x = start[..., None] + steps
        x = (x ^ shifted(x, 30)) * _signed(MIX_1)
        x = x ^ keys[..., 1, None]
        x = (x ^ shifted(x, 27)) * _signed(MIX_2)
        return x ^ shifted(x, 31)

    def normals(self, keys: Any, rows: Any, n_samples: int) -> Any:
        """(..., n_samples) standard normals: those of `beliefgraph.simulate.noise.normals`."""
        torch = self.xp
        chunks = -(-n_samples // CHUNK)
        bits = self._bits(keys, rows, 0, chunks * HALF).reshape(*rows.shape, chunks, HALF)

        def unit(shift: int) -> Any:  # the bits of a float in [1, 2)
            word = (bits >> shift) & 0x7FFFFF | 0x3F800000
            return word.to(torch.int32).view(torch.float32)

        radius = torch.sqrt(-2 * torch.log(2 - unit(9)))
        angle = (unit(41) - 1) * float(np.float32(2 * np.pi))
        both = torch.stack([torch.cos(angle) * radius, torch.sin(angle) * radius], dim=-2)
        return both.reshape(*rows.shape, chunks * CHUNK)[..., :n_samples]

    def coins(self, keys: Any, rows: Any, n_samples: int) -> Any:
        """(..., n_samples) whole numbers below 65,536: those of `noise.coins`."""
        bits = self._bits(keys, rows, 0, -(-n_samples // 4))
        parts = self.xp.stack([(bits >> 16 * k) & 0xFFFF for k in range(4)], dim=-1)
        return parts.reshape(*rows.shape, -1)[..., :n_samples].to(self.xp.int32)


def normals_and_coins(
    seed: np.random.SeedSequence, n: int, rows: int, n_samples: int, device: str
) -> tuple[Block, NDArray[np.uint16]]:
    """Return the random numbers of one model, made on the device."""
    arrays = torch_arrays(device)

    def numbered(pair: tuple[int, int], count: int) -> tuple[Any, Any]:
        number = np.array([pair] * count, dtype=np.uint64).reshape(count, 2)
        return arrays.put(number), arrays.put(np.arange(count))

    standard = arrays.get(arrays.normals(*numbered(keys(seed, 0), n), n_samples))
    tosses = arrays.get(arrays.coins(*numbered(keys(seed, 1), rows), n_samples))
    return np.ascontiguousarray(standard), tosses.astype(np.uint16)


def propagate(
    model: Model,
    draws: Draws,
    held: dict[int, Block],
    pushes: dict[int, Block],
    known: tuple[Block, NDArray[np.bool_]] | None,
    device: str = "cpu",
) -> Block:
    """Propagate one plan of one person; see `beliefgraph.simulate.sample.propagate_numpy`."""
    arrays = torch_arrays(device)
    torch = arrays.xp
    values = np.empty(draws.standard.shape, dtype=np.float32)
    rows: dict[int, Any] = {}
    for place, concept in enumerate(model.order.tolist()):
        if known is not None and known[1][concept] and concept not in held:
            values[concept] = known[0][concept]
            rows[concept] = arrays.put(np.ascontiguousarray(known[0][concept]))
            continue
        if concept in held:
            values[concept] = held[concept]
            rows[concept] = arrays.put(values[concept].copy())
            continue
        pushed = pushes.get(concept)
        total = arrays.put((draws.push(concept) if pushed is None else pushed).copy())
        for edge in model.parents(place):
            strength = draws.strengths.get(edge)
            worn = float(np.float32(model.mean[edge])) if strength is None else arrays.put(strength)
            total = total + worn * rows[int(model.source[edge])]
        mechanism = model.mechanisms[concept]
        if mechanism.name == "tanh":
            total = torch.tanh(total)
        elif mechanism.name == "logistic":
            total = torch.tanh(total * 0.5)
        elif mechanism.name == "threshold":
            total = torch.sign(total) * (torch.abs(total) >= mechanism.theta)
        rows[concept] = total
        values[concept] = arrays.get(total)
    return values
