"""Libraries of nearest neighbours as baselines: exact trees and scans, and graphs and forests that approximate."""

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from kinematch.bench.baseline_input import BaselineInput, Search
from kinematch.search.matcher import IGNORE

Nearest = Callable[[np.ndarray, int, float], tuple[np.ndarray, np.ndarray]]  # query, how many, bound: rows, distances
LIBRARIES = ("faiss", "usearch", "hnswlib", "annoy")
GRAPH_CANDIDATES = 64  # candidates that a graph keeps in view; more find better ones and take longer


@cache
def missing() -> tuple[str, ...]:
    """Libraries that are not installed here, or do not load."""
    return tuple(name for name in LIBRARIES if not _loads(name))


def _loads(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def _neighbours(p: BaselineInput, nearest: Nearest) -> Search:
    """One neighbour is requested, and more only where it lies in the frames to ignore."""
    most = min(2 * IGNORE + 2, len(p.rows))

    def search(query: np.ndarray, current: int) -> int:
        query = query * p.roots
        staying, first, last = p.stay_cost(query, current), p.first[current], p.last[current]
        for count in (1, most):
            rows, distances = nearest(query, count, staying)
            for row, distance in zip(rows.tolist(), distances.tolist()):
                if not 0 <= row < len(p.rows) or distance >= staying:
                    return current
                frame = int(p.rows[row])
                if not first <= frame < last:
                    return frame
        return current

    return search


def kd_tree(p: BaselineInput) -> tuple[Search, int]:
    tree = cKDTree(p.row_values)

    def nearest(query: np.ndarray, count: int, bound: float) -> tuple[np.ndarray, np.ndarray]:
        distances, rows = tree.query(query, k=count, distance_upper_bound=np.sqrt(bound))
        return np.atleast_1d(rows), np.atleast_1d(distances) ** 2

    return _neighbours(p, nearest), 2 * p.row_values.nbytes + 8 * len(p.rows)  # it keeps float64 and an order


def faiss_flat(p: BaselineInput) -> tuple[Search, int]:
    import faiss

    faiss.omp_set_num_threads(1)
    index: Any = faiss.IndexFlatL2(p.row_values.shape[1])
    return _faiss(p, index), p.row_values.nbytes


def faiss_graph(p: BaselineInput) -> tuple[Search, int]:
    import faiss

    faiss.omp_set_num_threads(1)
    index: Any = faiss.IndexHNSWFlat(p.row_values.shape[1], 32)
    index.hnsw.efSearch = GRAPH_CANDIDATES
    return _faiss(p, index), p.row_values.nbytes + len(p.rows) * 64 * 4


def _faiss(p: BaselineInput, index: Any) -> Search:
    index.add(p.row_values)

    def nearest(query: np.ndarray, count: int, bound: float) -> tuple[np.ndarray, np.ndarray]:
        distances, rows = index.search(query[None], count)
        return rows[0], distances[0]

    return _neighbours(p, nearest)


def usearch(p: BaselineInput) -> tuple[Search, int]:
    from usearch.index import Index

    index: Any = Index(ndim=p.row_values.shape[1], metric="l2sq", dtype="f32", expansion_search=GRAPH_CANDIDATES)
    index.add(np.arange(len(p.rows)), p.row_values, threads=1)

    def nearest(query: np.ndarray, count: int, bound: float) -> tuple[np.ndarray, np.ndarray]:
        found = index.search(query, count, threads=1)
        return found.keys.astype(np.int64), found.distances

    return _neighbours(p, nearest), int(index.memory_usage)


def hnswlib(p: BaselineInput) -> tuple[Search, int]:
    import hnswlib

    index: Any = hnswlib.Index(space="l2", dim=p.row_values.shape[1])
    index.init_index(max_elements=len(p.rows), ef_construction=200, M=16)
    index.set_num_threads(1)
    index.add_items(p.row_values)
    index.set_ef(GRAPH_CANDIDATES)

    def nearest(query: np.ndarray, count: int, bound: float) -> tuple[np.ndarray, np.ndarray]:
        rows, distances = index.knn_query(query, k=count)
        return rows[0].astype(np.int64), distances[0]

    return _neighbours(p, nearest), p.row_values.nbytes + len(p.rows) * 36 * 4


def annoy(p: BaselineInput) -> tuple[Search, float]:
    from annoy import AnnoyIndex

    index: Any = AnnoyIndex(p.row_values.shape[1], "euclidean")
    for row, values in enumerate(p.row_values):
        index.add_item(row, values)
    index.build(50, n_jobs=1)

    def nearest(query: np.ndarray, count: int, bound: float) -> tuple[np.ndarray, np.ndarray]:
        rows, distances = index.get_nns_by_vector(query, count, include_distances=True)
        return np.array(rows), np.square(distances)

    return _neighbours(p, nearest), np.nan
