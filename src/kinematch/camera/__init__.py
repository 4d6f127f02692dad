"""Camera: landmarks of a body in a picture, aligned with trackers and fused with what these say."""
