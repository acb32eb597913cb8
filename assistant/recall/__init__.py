"""What has been answered before, and what stands in the person's own documents."""
