
	field ☃message ☃