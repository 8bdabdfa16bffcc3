package secret

import (
	"slices"
	"strings"
	"unicode"
)

var (
	// strong are words that make an option secret wherever they stand in its name.
	strong = [...]string{
		"secret", "secrets", "password", "passwd", "passphrase", "passcode", "credential", "credentials", "authorization",
		"bearer", "cookie", "apikey", "accesskey", "accesskeyid", "pw", "pass", "psk", "pat", "pincode", "otp", "sas",
	}
	// last are words that do so at its end: max_tokens, stop_token_ids and pin_memory are none.
	last = [...]string{"token", "key", "auth", "jwt", "pwd", "sig", "signature", "pin"}
	// together are words that do so one after the other.
	together = [...][2]string{{"access", "key"}, {"pin", "code"}}
	// pointing are words at the end of names whose value says where a secret is.
	pointing = [...]string{"env", "file", "path", "dir"}
	// harmless are the headers whose values are shown: they choose among what a server has.
	harmless = [...]string{"accept", "application", "content-type", "host", "model", "multiplexed_model_id", "user-agent",
		"x-model", "x-model-id", "x-request-id"}
)

// headerPrefix begins the names of options that are headers of requests.
const headerPrefix = "header."

// Named says whether an option is secret by its name: it ends in token, key, auth, jwt, pwd, sig, signature or pin, or
// has a word such as secret, password, pass, pw, psk, pat, otp, sas, credential, authorization or cookie, or
// access_key, and does not end in env, file, path or dir; or it is a header that is not known to be harmless.
func Named(option string) bool {
	before, header, ok := strings.Cut(strings.ToLower(option), headerPrefix)
	if ok && (before == "" || strings.HasSuffix(before, ".")) { // of all parts of a model, or PART.header.NAME
		return !slices.Contains(harmless[:], header)
	}
	words := words(option)
	if len(words) == 0 || slices.Contains(pointing[:], words[len(words)-1]) {
		return false
	}
	return slices.Contains(last[:], words[len(words)-1]) || paired(words) ||
		slices.ContainsFunc(words, func(w string) bool { return slices.Contains(strong[:], w) })
}

// paired says whether two words of a name stand together that make it secret.
func paired(words []string) bool {
	for i := 1; i < len(words); i++ {
		if slices.Contains(together[:], [2]string{words[i-1], words[i]}) {
			return true
		}
	}
	return false
}

// words are those of a name in lower case: api_key, x-api-key, api.key and apiKey have the words api and key.
func words(name string) []string {
	var spaced strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			spaced.WriteRune(' ')
		}
		spaced.WriteRune(r)
		before = r
	}
	return strings.FieldsFunc(strings.ToLower(spaced.String()), func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	})
}
