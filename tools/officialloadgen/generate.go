package main

import (
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// confText returns the header with the rules' settings: mlperf.conf as one constant.
func confText(conf []byte) string {
	return "const char* mlperf_conf =\n" + textLiteral(string(conf)) + ";\n"
}

// textLiteral returns a text as a C++ literal, line by line.
func textLiteral(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + stringLiteral(line) + "\n")
	}
	if b.Len() == 0 {
		return `""`
	}
	return strings.TrimRight(b.String(), "\n")
}

// stringLiteral returns a C++ string literal. Characters other than plain ASCII are written in octal.
func stringLiteral(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(text) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= ' ' && c <= '~' && c != '?': // "??" would begin a trigraph
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// versionText returns the source of the functions with which the LoadGen logs its origin: the version, the time, the
// commit (if the tree is a checkout), and the SHA-1 of its files.
func (t *sourceTree) versionText(now time.Time) (string, error) {
	sha1s, err := t.fileSHA1s()
	if err != nil {
		return "", err
	}
	const iso = "2006-01-02T15:04:05.000000"
	g := t.readCommit()
	values := []struct{ name, value string }{
		{"Version", t.build.Version},
		{"BuildDateLocal", now.Local().Format(iso)}, {"BuildDateUtc", now.UTC().Format(iso)},
		{"GitRevision", g.revision}, {"GitCommitDate", g.date}, {"GitStatus", g.status}, {"GitLog", g.log},
		{"Sha1OfFiles", sha1s},
	}
	var b strings.Builder
	b.WriteString("#include <string>\n\nnamespace mlperf {\n")
	for _, v := range values {
		fmt.Fprintf(&b, "\nconst std::string& Loadgen%s() {\n  static const std::string text(\n%s,\n      %d);\n"+
			"  return text;\n}\n", v.name, textLiteral(v.value), len(v.value))
	}
	b.WriteString("\n}  // namespace mlperf\n")
	return b.String(), nil
}

// fileSHA1s returns the checksums of all files of the tree and its bindings, in the format of the official build.
func (t *sourceTree) fileSHA1s() (string, error) {
	var names []string
	for _, folder := range []string{"/bindings/", "/"} {
		entries, err := os.ReadDir(filepath.Join(t.dir, folder))
		if err != nil && folder == "/" {
			return "", err
		}
		for _, e := range entries {
			if info, err := os.Stat(filepath.Join(t.dir, folder, e.Name())); err == nil && info.Mode().IsRegular() {
				names = append(names, folder+e.Name())
			}
		}
	}
	slices.Sort(names)
	var lines []string
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(t.dir, name))
		if err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("%x %s", sha1.Sum(text), name))
	}
	return strings.Join(lines, "\n"), nil
}

// commit contains git's facts about a tree.
type commit struct{ revision, date, status, log string }

// readCommit runs git if the tree is a checkout and git is installed.
func (t *sourceTree) readCommit() commit {
	na := commit{"NA", "NA", "NA", "NA"}
	top := filepath.Join(t.dir, "..")
	if _, err := os.Stat(filepath.Join(top, ".git")); err != nil {
		return na
	}
	ask := func(args ...string) (string, bool) {
		cmd := exec.Command("git", args...)
		cmd.Dir = t.dir
		out, err := cmd.Output()
		return strings.TrimSuffix(string(out), "\n"), err == nil
	}
	revision, ok1 := ask("rev-parse", "--short=10", "HEAD")
	date, ok2 := ask("log", "--format=%cI", "-n", "1")
	status, ok3 := ask("status", "-s", "-uno", ".")
	log, ok4 := ask("log", "--pretty=oneline", "-n", "16", "--no-decorate")
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return na
	}
	return commit{revision, date, status, strings.Map(asciiOnly, log)}
}

// asciiOnly removes other characters, like the official build.
func asciiOnly(c rune) rune {
	if c > '~' {
		return -1
	}
	return c
}

// buildText returns the source of the constant with the library's description of itself.
func (t *sourceTree) buildText() (string, error) {
	text, err := json.Marshal(t.build)
	if err != nil {
		return "", err
	}
	return "extern \"C\" const char kBuild[];\nconst char kBuild[] =\n" + stringLiteral(string(text)) + ";\n" +
		"// " + strconv.Itoa(len(text)) + " bytes\n", nil
}
