
code ☃
detail ☃