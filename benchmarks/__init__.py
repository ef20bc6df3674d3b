"""What Watchword costs, measured side by side in one run and printed as ratios; nothing is asserted."""
