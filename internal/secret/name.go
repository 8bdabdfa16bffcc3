package secret

import (
	"slices"
	"strings"
	"unicode"
)

var (
	// secretWords are words that make an option secret anywhere in its name.
	secretWords = [...]string{
		"secret", "secrets", "password", "passwd", "passphrase", "passcode", "credential", "credentials", "authorization",
		"bearer", "cookie", "apikey", "accesskey", "accesskeyid", "pw", "pass", "psk", "pat", "pincode", "otp", "sas",
	}
	// secretLastWords are words that make an option secret at the end of its name. max_tokens, stop_token_ids and
	// pin_memory are not secret.
	secretLastWords = [...]string{"token", "key", "auth", "jwt", "pwd", "sig", "signature", "pin"}
	// secretPairs are pairs of neighbouring words that make an option secret.
	secretPairs = [...][2]string{{"access", "key"}, {"pin", "code"}}
	// locationWords are last words of names of options whose value is the place of a secret.
	locationWords = [...]string{"env", "file", "path", "dir"}
	// harmlessHeaders are headers whose values are shown, because they only select something on the server.
	harmlessHeaders = [...]string{"accept", "application", "content-type", "host", "model", "multiplexed_model_id",
		"user-agent",
		"x-model", "x-model-id", "x-request-id"}
)

// headerPrefix is the prefix of options that are headers of requests.
const headerPrefix = "header."

// IsSecret reports whether an option's name makes it secret: it ends in token, key, auth, jwt, pwd, sig, signature or
// pin, or contains a word such as secret, password, pass, pw, psk, pat, otp, sas, credential, authorization or cookie,
// or access_key, and does not end in env, file, path or dir; or it is a header that is not known to be harmless.
func IsSecret(option string) bool {
	before, header, ok := strings.Cut(strings.ToLower(option), headerPrefix)
	if ok && (before == "" || strings.HasSuffix(before, ".")) { // for all parts of a model, or PART.header.NAME
		return !slices.Contains(harmlessHeaders[:], header)
	}
	words := splitWords(option)
	if len(words) == 0 || slices.Contains(locationWords[:], words[len(words)-1]) {
		return false
	}
	return slices.Contains(secretLastWords[:], words[len(words)-1]) || hasSecretPair(words) ||
		slices.ContainsFunc(words, func(w string) bool { return slices.Contains(secretWords[:], w) })
}

// hasSecretPair reports whether two neighbouring words of a name make it secret.
func hasSecretPair(words []string) bool {
	for i := 1; i < len(words); i++ {
		if slices.Contains(secretPairs[:], [2]string{words[i-1], words[i]}) {
			return true
		}
	}
	return false
}

// splitWords returns the words of a name in lower case: api_key, x-api-key, api.key and apiKey contain the words api
// and key.
func splitWords(name string) []string {
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
