"""What a blank, and the object file made of it, may not contain."""
