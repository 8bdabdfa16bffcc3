package replay

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// executables maps the names of scored programs to the names under which they count.
var executables = map[string]string{
	"python": "python", "python2": "python", "python3": "python", "py": "python", "pip": "pip", "pip3": "pip",
	"pytest": "pytest", "pylint": "pylint", "sphinx-build": "sphinx", "sphinx-quickstart": "sphinx", "cython": "cython",
	"make": "make", "conda": "conda", "cat": "cat", "head": "head", "tail": "tail", "less": "cat", "more": "cat",
	"wc": "wc", "diff": "diff", "grep": "grep", "egrep": "grep", "fgrep": "grep", "rg": "grep", "ag": "grep", "sed": "sed",
	"awk": "awk", "gawk": "awk", "tr": "tr", "sort": "sort", "uniq": "uniq", "cut": "cut", "find": "find", "ls": "ls",
	"locate": "find", "xargs": "xargs", "cp": "cp", "mv": "mv", "rm": "rm", "mkdir": "mkdir", "touch": "touch",
	"tee":    "tee",
	"source": "source", ".": "source", "which": "which", "alias": "alias", "unset": "unset", "export": "export",
	"git": "git", "curl": "curl", "wget": "curl", "true": "true", "false": "false", "timeout": "timeout", "date": "date",
	"apt-get": "apt", "apt": "apt", "yum": "yum",
}

// wrappers are programs that run the command after them.
var wrappers = map[string]bool{"command": true, "env": true, "exec": true, "nice": true, "sudo": true, "time": true}

var (
	quotedText       = regexp.MustCompile("'[^']*'|\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`")
	commandSeparator = regexp.MustCompile(`\|\||\||&&|;|\n`)
	assignmentPrefix = regexp.MustCompile(`\A[A-Za-z_][A-Za-z0-9_]*=`)
	versionSuffix    = regexp.MustCompile(`\.\p{Nd}+(\.\p{Nd}+)?\z`)
)

// Executables returns the scored programs that a shell command runs, each by its canonical name, in order. It ignores
// text in quotes.
func Executables(command string) (all []string) {
	for _, stage := range commandSeparator.Split(quotedText.ReplaceAllString(command, " "), -1) {
		words := pystr.Fields(stage)
		for len(words) > 0 && (assignmentPrefix.MatchString(words[0]) || wrappers[words[0]]) {
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		name := pyvalue.Lower(words[0][strings.LastIndexByte(words[0], '/')+1:])
		if action := executables[versionSuffix.ReplaceAllString(name, "")]; action != "" {
			all = append(all, action)
		}
	}
	return all
}

// Actions returns the programs that tool calls run. Only calls of the function bash count; its argument command or cmd
// is the shell command. calls is a list in the format of servers.
func Actions(calls any) (all []string) {
	list, _ := calls.([]any)
	for _, item := range list {
		call, _ := item.(*pyvalue.Dict)
		inner, _ := call.Get("function")
		function, _ := inner.(*pyvalue.Dict)
		if name, _ := function.Get("name"); name != any("bash") {
			continue
		}
		given, _ := function.Get("arguments")
		if text, ok := given.(string); ok {
			var err error
			if given, err = pyvalue.Decode(text); err != nil {
				continue
			}
		}
		arguments, _ := given.(*pyvalue.Dict)
		command, _ := arguments.Get("command")
		if !pyvalue.IsTrue(command) {
			command, _ = arguments.Get("cmd")
		}
		if text, ok := command.(string); ok {
			all = append(all, Executables(text)...)
		}
	}
	return all
}

// An intent code is I and three digits. Some letters of other alphabets equal an i if case is ignored.
var (
	namedIntent = regexp.MustCompile(`(?i:[iı\x{130}]ntent):[\s\v\x1c-\x1f\x{85}\p{Z}]*([iIı\x{130}]\p{Nd}{3})`)
	bareIntent  = regexp.MustCompile(`I\p{Nd}{3}`)
)

// Intent returns the code that an answer names: the first one after "intent:", or else the last one. It searches the
// reasoning before the content. It returns "" if there is no code.
func Intent(reasoning, content string) string {
	for _, text := range []string{reasoning, content} {
		for _, m := range eachMatch(namedIntent, text) {
			return strings.ToUpper(text[m[2]:m[3]])
		}
	}
	for _, text := range []string{reasoning, content} {
		if all := eachMatch(bareIntent, text); len(all) > 0 {
			last := all[len(all)-1]
			return text[last[0]:last[1]]
		}
	}
	return ""
}

// eachMatch returns the matches that begin and end at word boundaries.
func eachMatch(form *regexp.Regexp, text string) (all [][]int) {
	for start := 0; start <= len(text); {
		m := form.FindStringSubmatchIndex(text[start:])
		if m == nil {
			return all
		}
		for i := range m {
			m[i] += start
		}
		before, _ := utf8.DecodeLastRuneInString(text[:m[0]])
		after, _ := utf8.DecodeRuneInString(text[m[1]:])
		if isWord(before) || isWord(after) {
			_, size := utf8.DecodeRuneInString(text[m[0]:])
			start = m[0] + size
			continue
		}
		all = append(all, m)
		start = m[1]
	}
	return all
}

// isWord reports whether a character belongs to a word. It is false for the invalid character before the beginning and
// after the end of a text.
func isWord(r rune) bool { return r == '_' || r != utf8.RuneError && pystr.IsWord(r) }
