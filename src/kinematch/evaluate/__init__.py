"""Does it move well? Courses, measures, baselines, sweeps, reports and tuning."""
