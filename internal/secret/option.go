package secret

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Shown is the text that replaces a secret. It does not contain a checksum, because that would reveal short secrets.
const Shown = "(secret)"

// HideOption returns the displayed value of a backend's option, and the secrets in it. The whole value is secret if the
// option's name is secret, or if it is JSON with a secret field. In other values these parts are secret: user and
// password of URLs, parameters of URLs with secret names, and variables and arguments of a command line with secret
// names.
func HideOption(name, value string) (shown string, secrets []string) {
	if value == "" {
		return value, nil
	}
	if IsSecret(name) {
		return Shown, []string{value}
	}
	if found := secretFields(value); len(found) > 0 {
		return Shown, append(found, value)
	}
	return hideInText(value)
}

// secretFields returns the values of the secret fields of a JSON text, or nil if the text is not JSON.
func secretFields(text string) (found []string) {
	var value any
	if text = strings.TrimSpace(text); !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil
	}
	findSecrets(value, false, func(secret string) { found = append(found, secret) })
	return found
}

// findSecrets calls found for all values below secret names.
func findSecrets(value any, below bool, found func(string)) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			findSecrets(v[name], below || IsSecret(name), found)
		}
	case []any:
		for _, element := range v {
			findSecrets(element, below, found)
		}
	case nil, bool:
	default:
		if text := fmt.Sprint(v); below && text != "" {
			found(text)
		}
	}
}

// hideInText hides the secrets of URLs and of command lines.
func hideInText(text string) (shown string, secrets []string) {
	word := regexp.MustCompile(`(?:"[^"]*"|'[^']*'|\S)+`) // like a shell that splits a line
	before := ""
	shown = word.ReplaceAllStringFunc(text, func(word string) string {
		shown, found := hideInWord(before, word)
		secrets, before = append(secrets, found...), word
		return shown
	})
	return shown, secrets
}

// hideInWord hides the secrets of a word; before is the previous word.
func hideInWord(before, word string) (shown string, secrets []string) {
	if strings.HasPrefix(before, "-") && !strings.Contains(before, "=") && IsSecret(before) && !strings.HasPrefix(word,
		"-") {
		return Shown, []string{unquote(word)}
	}
	if name, value, ok := strings.Cut(word, "="); ok && value != "" && !strings.ContainsAny(name, ":/?") &&
		IsSecret(name) {
		return name + "=" + Shown, []string{unquote(value)}
	}
	return hideInURL(word)
}

// unquote returns a word without quotes.
func unquote(word string) string {
	if len(word) > 1 && (word[0] == '"' || word[0] == '\'') && word[len(word)-1] == word[0] {
		return word[1 : len(word)-1]
	}
	return word
}

// hideInURL hides the part before the host of URLs, with or without a scheme, and the query parameters with secret
// names.
func hideInURL(text string) (shown string, secrets []string) {
	parts := strings.Split(text, "://")
	for i, part := range parts {
		at := strings.LastIndexByte(part, '@')
		// no password, for example an e-mail address
		if at <= 0 || i == 0 && !regexp.MustCompile(`^[^:/=]*:`).MatchString(part[:at]) {
			continue
		}
		secrets = append(secrets, userSecrets(part[:at])...)
		parts[i] = Shown + part[at:]
	}
	query := regexp.MustCompile(`([?&][^=&?#]+=)([^&#]+)`)
	shown = query.ReplaceAllStringFunc(strings.Join(parts, "://"), func(found string) string {
		name, value, _ := strings.Cut(found, "=")
		if !IsSecret(name[1:]) {
			return found
		}
		secrets = append(secrets, value)
		return name + "=" + Shown
	})
	return shown, secrets
}

// userSecrets returns the secrets in USER:PASSWORD.
func userSecrets(user string) []string {
	secrets := []string{user}
	if _, password, ok := strings.Cut(user, ":"); ok {
		secrets = append(secrets, password)
	}
	return secrets
}
