package shell

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/live"
	"github.com/plumbline-ml/plumbline/internal/terminal"
)

// Screen is a terminal. The zero value means output without a terminal, such as a pipe or a file.
type Screen struct {
	Columns func() int // width; 0: unknown; nil: not a terminal
}

// IsTerminal reports whether the output is a terminal.
func (s Screen) IsTerminal() bool { return s.Columns != nil }

// newScreen returns the terminal of a file, or the zero value.
func newScreen(f *os.File) Screen {
	if !term.IsTerminal(int(f.Fd())) {
		return Screen{}
	}
	return Screen{Columns: func() int {
		columns, _, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 0
		}
		return columns
	}}
}

// newPage returns a writer for people. It wraps lines at the width in the environment (COLUMNS) or at that of the
// terminal, and does not wrap in pipes and files. It uses colours on terminals that support them, unless NO_COLOR is
// set (no-color.org).
func (a *App) newPage(w io.Writer, s Screen) *terminal.Writer {
	return terminal.NewWriter(w, terminal.Options{
		Columns: func() int { return a.screenColumns(s) },
		Colour:  s.IsTerminal() && a.Env != nil && a.Env("NO_COLOR") == "" && a.Env("TERM") != "dumb",
	})
}

// screenColumns returns the width for wrapping; 0: no wrapping.
func (a *App) screenColumns(s Screen) int {
	if n, err := strconv.Atoi(strings.TrimSpace(a.Env("COLUMNS"))); err == nil && n > 0 {
		return n
	}
	if s.IsTerminal() {
		return s.Columns()
	}
	return 0
}

// helpColumns is the default width of help.
const helpColumns = 80

// NewStatusLine returns a status line on standard error. On a terminal the line is rewritten.
func (a *App) NewStatusLine() *live.StatusLine {
	return live.NewStatusLine(a.Console, a.ErrScreen.IsTerminal(), a.ErrColumns)
}

// ErrColumns returns the width of standard error; 0: unknown.
func (a *App) ErrColumns() int { return a.screenColumns(a.ErrScreen) }

// colourFlag implements --color. It takes effect during parsing, so it also applies to errors about other flags and to
// help.
type colourFlag struct {
	app  *App
	text string
}

// Set implements pflag.Value.
func (f *colourFlag) Set(text string) error {
	switch text {
	case "always", "never":
		f.app.page.SetColour(text == "always")
		f.app.errPage.SetColour(text == "always")
	case "auto":
	default:
		return fmt.Errorf("want auto, always or never")
	}
	f.text = text
	return nil
}

// String implements pflag.Value.
func (f *colourFlag) String() string { return f.text }

// Type implements pflag.Value.
func (f *colourFlag) Type() string { return "when" }
