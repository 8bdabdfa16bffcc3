package clitest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Secrets returns options that contain secrets, and the secrets.
func (s *Shell) Secrets() (args, secrets []string) {
	s.Env["MY_LICENCE"], s.Env["MY_TOKEN"], s.Env["OPENAI_API_KEY"] = "sesame-env", "sesame-named", "sesame-default"
	return []string{
			"--backend-secret", "licence=env:MY_LICENCE", "--backend-secret=pin=file:" + s.File("pin", "sesame-file\n"),
			"--backend-opt", "token=sesame-token", "--backend-opt=body.options={\"api_key\": \"sesame-json\"}",
			"--backend-opt", "header.x-tenant=sesame-header",
			"--backend-opt", "url=https://me:sesame-url@host", "--backend-opt", "command=python3 b.py --password sesame-command",
			"--backend-opt", "token_env=MY_TOKEN",
		}, []string{"sesame-env", "sesame-named", "sesame-default", "sesame-file", "sesame-token", "sesame-json",
			"sesame-header", "me:sesame-url", "sesame-url", "sesame-command"}
}

// WantHidden fails the test if a secret occurs in the output or in a file below folders.
func (s *Shell) WantHidden(secrets []string, folders ...string) {
	s.T.Helper()
	texts := map[string]string{"what is printed": s.Stdout.String() + s.Stderr.String()}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			texts[path] = string(text)
			return err
		})
		if err != nil {
			s.T.Error(err)
		}
	}
	for where, text := range texts {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				s.T.Errorf("%s holds the secret %q:\n%s", where, secret, text)
			}
		}
	}
}
