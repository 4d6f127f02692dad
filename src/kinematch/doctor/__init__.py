"""What a mocap file is, what is wrong with it, and the recipe lines that fix it."""

from kinematch.doctor.examine import examine
from kinematch.doctor.report import Problem, Report

__all__ = ["Problem", "Report", "examine"]
