
À
integration_id â˜ƒÿÿÿÿÿÿÿÿrepo â˜ƒ"Gsha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08*	paths â˜ƒ*	paths â˜ƒ2ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ:base â˜ƒ@J
job_id â˜ƒR µºØÀ©Ó:
À
integration_id â˜ƒÿÿÿÿÿÿÿÿrepo â˜ƒ"Gsha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08*	paths â˜ƒ*	paths â˜ƒ2ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ:base â˜ƒ@J
job_id â˜ƒR µºØÀ©Ó:next_page_token â˜ƒ