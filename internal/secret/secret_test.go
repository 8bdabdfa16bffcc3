package secret

import (
	"slices"
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	for name, want := range map[string]bool{
		"token": true, "api_key": true, "apiKey": true, "x-api-key": true, "body.api_key": true, "AUTH": true,
		"body.auth_token": true,
		"password":        true, "db.Password.value": true, "client_secret": true, "credentials": true, "tls_key": true,
		"licence-key":          true,
		"header.authorization": true, "header.x-tenant": true, "Header.Cookie": true, "header.": true, "sasSignature": true,
		"pw": true, "db_pw": true, "pass": true, "userPass": true, "wifi_psk": true, "psk_identity": true,
		"pat": true, "github-pat": true,
		"pin": true, "user_pin": true, "pinCode": true, "pin_memory": false, "otp": true, "otp_seed": true,
		"sas": true, "sas_url": true,
		"access_key": true, "access_key_id": true, "aws.accessKeyId": true, "access_key_id_env": false, "pass_file": false,
		"passes": false, "compass": false, "pattern": false, "patience": false, "spin": false, "pinned": false,
		"header.application": false, "encoder.header.x-tenant": true, "encoder.header.host": false,
		"header.Content-Type": false,
		"token_env":           false, "key_env": false, "key_file": false, "password_path": false,
		"secrets_dir": false, "ca": false,
		"threads": false, "lib": false, "url": false, "body.max_tokens": false, "body.stop_token_ids": false,
		"body.return_token_ids": false,
		"keyboard":              false, "monkey": false, "tokenizer": false, "config.session.set_denormal_as_zero": false,
		"": false, "-": false,
	} {
		if IsSecret(name) != want {
			t.Errorf("%q is secret: %v, want %v", name, !want, want)
		}
	}
}

func TestOption(t *testing.T) {
	cases := []struct {
		name, value, shown string
		secrets            []string
	}{
		{"threads", "4", "4", nil},
		{"token", "", "", nil},
		{"token", "abc def", Shown, []string{"abc def"}},
		{"header.x-tenant", "blue", Shown, []string{"blue"}},
		{"url", "http://a:8000,https://b/v1", "http://a:8000,https://b/v1", nil},
		{"url", "http://me:pa:s@a:8000/x", "http://" + Shown + "@a:8000/x", []string{"me:pa:s", "pa:s"}},
		{"url", "http://a,grpcs://me:p/w,d@b,http://c", "http://a,grpcs://" + Shown + "@b,http://c",
			[]string{"me:p/w,d", "p/w,d"}},
		{"url", "me:pw@a:8001", Shown + "@a:8001", []string{"me:pw", "pw"}},
		{"url", "https://token@a", "https://" + Shown + "@a", []string{"token"}},
		{"url", "https://a/b?x=1&access_token=t1&y=2#f", "https://a/b?x=1&access_token=" + Shown + "&y=2#f", []string{"t1"}},
		{"contact", "me@example.org", "me@example.org", nil},
		{"body.options", `{"seed": 7}`, `{"seed": 7}`, nil},
		{"body.options", `{"seed": 7, "api_key": ""}`, `{"seed": 7, "api_key": ""}`, nil},
		{"body.options", `[{"seed": 7, "auth": {"apiKey": "k1", "n": 12345678901234567890, "on": true}}]`, Shown,
			[]string{
				"k1", "12345678901234567890", `[{"seed": 7, "auth": {"apiKey": "k1", "n": 12345678901234567890, "on": true}}]`,
			}},
		{"body.temperature", "0.5", "0.5", nil},
		{"command", "python3 backend.py --threads 2", "python3 backend.py --threads 2", nil},
		{"command", "env API_KEY=k1 X=2  python3 b.py --token t1 --password='p q' -v",
			"env API_KEY=" + Shown + " X=2  python3 b.py --token " + Shown + " --password=" + Shown + " -v",
			[]string{"k1", "t1", "p q"}},
		{"command", `b --api-key "a b" --key --url=http://u:p@h`, `b --api-key ` + Shown + ` --key --url=http://` + Shown +
			`@h`, []string{"a b", "u:p", "p"}},
		{"command", "b --token-file t.txt", "b --token-file t.txt", nil},
	}
	for _, c := range cases {
		shown, secrets := HideOption(c.name, c.value)
		if shown != c.shown || !slices.Equal(secrets, c.secrets) {
			t.Errorf("%s=%s: shown %q, secrets %q; want %q, %q", c.name, c.value, shown, secrets, c.shown, c.secrets)
		}
	}
}

func TestOptions(t *testing.T) {
	given := map[string]string{"licence": "L1", "threads": "2", "token": "T1"}
	shown := HideOptions(given, map[string]string{"licence": "L1"})
	if len(shown) != 3 || shown["licence"] != Shown || shown["threads"] != "2" || shown["token"] != Shown {
		t.Errorf("%q", shown)
	}
	if given["token"] != "T1" {
		t.Error("the options themselves are changed")
	}
}

func TestArgs(t *testing.T) {
	given := []string{"run", "x", "--opt", "token=t1", "--opt=token=t2", "--opt", "threads=2", "--other", "token=t3",
		"--opt", "key", "--opt=acme:header.X-Team=t4", "--opt=acme:threads=4", "--head", "x-a=t5", "--head=host=h",
		"--head=token:x=t6", "--opt"}
	want := []string{"run", "x", "--opt", "token=" + Shown, "--opt=token=" + Shown, "--opt", "threads=2",
		"--other", "token=t3", "--opt", "key", "--opt=acme:header.X-Team=" + Shown, "--opt=acme:threads=4",
		"--head", "x-a=" + Shown, "--head=host=h", "--head=token:x=" + Shown, "--opt"}
	if got := HideArgs(given, map[string]string{"--opt": "", "--head": "header."}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if given[3] != "token=t1" {
		t.Error("the arguments themselves are changed")
	}
}

func TestHide(t *testing.T) {
	var k Keeper
	if got := k.Hide("nothing is known"); got != "nothing is known" {
		t.Error(got)
	}
	k.Add("hunter2", "", "none", "EMPTY", `q"uo te`, "hunter2-and-more", "hunter2", "secret")
	for text, want := range map[string]string{
		"the key hunter2 is wrong":        "the key " + Shown + " is wrong",
		"hunter2-and-more, hunter2":       Shown + ", " + Shown,
		`{"x": "q\"uo te"} q"uo te`:       `{"x": "` + Shown + `"} ` + Shown,
		"?k=q%22uo+te&l=q%22uo%20te":      "?k=" + Shown + "&l=" + Shown,
		"none is EMPTY, and it is secret": "none is EMPTY, and it is secret",
	} {
		if got := k.Hide(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if again := k.Hide(k.Hide(text)); again != want {
			t.Errorf("hidden twice: %q, want %q", again, want)
		}
	}
}

// FuzzOption checks that the shown text contains no secret of sufficient length, and does not change if it is hidden
// again.
func FuzzOption(f *testing.F) {
	for _, s := range []string{"http://u:p@h,http://v:w@i?token=x", `{"a":[{"key":"value"}]}`,
		"env TOKEN=abcdefgh b --key 'x y' --z=1", "a:b@c", "@", "://@", "--token"} {
		f.Add("url", s)
	}
	f.Add("api_key", "value")
	f.Fuzz(func(t *testing.T, name, value string) {
		shown, secrets := HideOption(name, value)
		if len(secrets) == 0 && shown != value {
			t.Fatalf("%q=%q is shown as %q without a secret", name, value, shown)
		}
		var k Keeper
		k.Add(secrets...)
		hidden := k.Hide(shown)
		for _, s := range secrets {
			if len(s) >= minHiddenLength && !strings.Contains(Shown, s) &&
				strings.Contains(strings.ReplaceAll(hidden, Shown, "\x00"), s) {
				t.Fatalf("%q=%q: %q shows %q", name, value, hidden, s)
			}
		}
	})
}
