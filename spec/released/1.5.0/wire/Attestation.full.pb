
application/vnd.in-toto+json+{"_type":"https://in-toto.io/Statement/v1"}