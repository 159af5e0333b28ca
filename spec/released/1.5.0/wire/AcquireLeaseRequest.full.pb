
a-Z_0-9	paths â˜ƒ	paths â˜ƒa-Z_0-9 €£(<2	a-Z.0_9:x