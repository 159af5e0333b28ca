
õ

job_id â˜ƒ	a-Z.0_9:x"4{"text":"Ã¼nÃ¯ â˜ƒ","number":1.5,"deep":[true,null]}(€€€€øÿÿÿÿ0ÿÿÿÿ8ÿÿÿÿBclaimed_by â˜ƒJ µºØÀ©Ó:R µºØÀ©Ó:Z µºØÀ©Ó:b µºØÀ©Ó:j µºØÀ©Ó:pzsummary â˜ƒ‚4{"text":"Ã¼nÃ¯ â˜ƒ","number":1.5,"deep":[true,null]}Š&

reason â˜ƒmessage â˜ƒ µºØÀ©Ó:ÿÿÿÿšstatus_message â˜ƒ¢unique_key â˜ƒªGsha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08²Gsha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08ºhttps://ci.example/log/1ÂW

job_id â˜ƒ	a-Z.0_9:x(€€€€øÿÿÿÿ0ÿÿÿÿ8ÿÿÿÿR µºØÀ©Ó:Z µºØÀ©Ó:b µºØÀ©Ó:Êattestation_key_id â˜ƒ
õ

job_id â˜ƒ	a-Z.0_9:x"4{"text":"Ã¼nÃ¯ â˜ƒ","number":1.5,"deep":[true,null]}(€€€€øÿÿÿÿ0ÿÿÿÿ8ÿÿÿÿBclaimed_by â˜ƒJ µºØÀ©Ó:R µºØÀ©Ó:Z µºØÀ©Ó:b µºØÀ©Ó:j µºØÀ©Ó:pzsummary â˜ƒ‚4{"text":"Ã¼nÃ¯ â˜ƒ","number":1.5,"deep":[true,null]}Š&

reason â˜ƒmessage â˜ƒ µºØÀ©Ó:ÿÿÿÿšstatus_message â˜ƒ¢unique_key â˜ƒªGsha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08²Gsha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08ºhttps://ci.example/log/1ÂW

job_id â˜ƒ	a-Z.0_9:x(€€€€øÿÿÿÿ0ÿÿÿÿ8ÿÿÿÿR µºØÀ©Ó:Z µºØÀ©Ó:b µºØÀ©Ó:Êattestation_key_id â˜ƒnext_page_token â˜ƒ