package shell

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/sdk"
)

// WriteJSON writes a document for programs, with the marks of HTML escaped.
func WriteJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// WriteUnescapedJSON writes a document for programs, with the marks of HTML as they are.
func WriteUnescapedJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// WriteFile writes to a file as a whole, or where none is named to the terminal.
func (a *App) WriteFile(name string, write func(io.Writer) error) error {
	if name == "" {
		return write(a.Stdout)
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	return sdk.Data(wholefile.Write(name, text.Bytes(), 0o666))
}

// OfficialExit ends a command that did as an official tool does, with that tool's exit code.
func OfficialExit(failed bool) error {
	if failed {
		return &exitcode.Outcome{Code: exitcode.Internal} // 1, as there
	}
	return nil
}
