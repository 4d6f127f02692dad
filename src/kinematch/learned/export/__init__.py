"""Models for other programs: ONNX graphs, flat weights, and a reference run time with test vectors."""
