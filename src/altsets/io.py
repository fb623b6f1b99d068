"""Read tables, scores and targets, and hand sets to AnnData."""

from altsets.files.cells import to_anndata
from altsets.files.dataset import from_anndata, read_table
from altsets.files.feature_files import read_scores
from altsets.tables.survival import survival_target

__all__ = ["from_anndata", "read_scores", "read_table", "survival_target", "to_anndata"]
