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
	Columns func() int // its width; 0: not known; nil: it is no terminal
}

// Is says whether there is one.
func (s Screen) Is() bool { return s.Columns != nil }

// screenOf is the terminal that a file is.
func screenOf(f *os.File) Screen {
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

// newPage is a stream as people read it: broken to the columns that the environment names (COLUMNS), else to those of
// the terminal; what goes to a pipe or a file has its lines whole. Colours are shown on a terminal that has them,
// unless NO_COLOR is set (no-color.org).
func (a *App) newPage(w io.Writer, s Screen) *terminal.Writer {
	return terminal.NewWriter(w, terminal.Options{
		Columns: func() int { return a.screenColumns(s) },
		Colour:  s.Is() && a.Env != nil && a.Env("NO_COLOR") == "" && a.Env("TERM") != "dumb",
	})
}

// screenColumns is how wide lines may be; 0: as they are.
func (a *App) screenColumns(s Screen) int {
	if n, err := strconv.Atoi(strings.TrimSpace(a.Env("COLUMNS"))); err == nil && n > 0 {
		return n
	}
	if s.Is() {
		return s.Columns()
	}
	return 0
}

// helpColumns is the width of help where nothing says another.
const helpColumns = 80

// Line is a line on the error stream that is rewritten where that is a terminal.
func (a *App) Line() *live.Status {
	return live.NewStatus(a.Console, a.ErrScreen.Is(), a.ErrColumns)
}

// ErrColumns is the width of the error stream; 0: not known.
func (a *App) ErrColumns() int { return a.screenColumns(a.ErrScreen) }

// colourFlag is --color, which takes effect where it is read: for errors about other flags, and help, too.
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
