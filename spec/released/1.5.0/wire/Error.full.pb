
code ☃
detail ☃
	field ☃message ☃
	field ☃message ☃"
reason ☃