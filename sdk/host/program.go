package host

import (
	"bufio"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"fmt"
	"io"
	"os"
	"strings"
)

// programTarget describes the machine of a program file as the end of a clause. It returns "" if the format is unknown.
func programTarget(path string) string {
	if f, err := elf.Open(path); err == nil {
		defer closeReadOnly(f)
		return " but for " + f.Machine.String()
	}
	if f, err := macho.Open(path); err == nil {
		defer closeReadOnly(f)
		return " but for macOS on " + f.Cpu.String()
	}
	if f, err := pe.Open(path); err == nil {
		defer closeReadOnly(f)
		return fmt.Sprintf(" but for Windows (machine %#x)", f.Machine)
	}
	return ""
}

// programInterpreter returns the interpreter that a script or a dynamically linked program names, if that interpreter
// does not exist. Otherwise it returns "".
func programInterpreter(path string) string {
	name := scriptInterpreter(path)
	if name == "" {
		name = elfInterpreter(path)
	}
	if _, err := os.Stat(name); name == "" || err == nil {
		return ""
	}
	return name
}

// scriptInterpreter parses #!PROGRAM ARGUMENTS.
func scriptInterpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer closeReadOnly(f)
	const most = 256 // more than kernels read
	line, _ := bufio.NewReader(io.LimitReader(f, most)).ReadString('\n')
	rest, found := strings.CutPrefix(line, "#!")
	if words := strings.Fields(rest); found && len(words) > 0 {
		return words[0]
	}
	return ""
}

// elfInterpreter reads the segment that names the dynamic loader.
func elfInterpreter(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer closeReadOnly(f)
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < 4096 {
			text, _ := io.ReadAll(p.Open())
			return strings.TrimRight(string(text), "\x00")
		}
	}
	return ""
}

// closeReadOnly closes a file that was only read.
func closeReadOnly(f io.Closer) { _ = f.Close() }
