package shell

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
)

// RejectUnknownCommand returns the error for the arguments of a command that has only subcommands. Each argument is
// then an unknown subcommand.
func RejectUnknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return suggest.Unknown("command", args[0], names)
}

// ExplainFlagError replaces the names of Go functions in an error about a flag's value by a description of the required
// value.
func ExplainFlagError(err error) error {
	var missing *pflag.ValueRequiredError
	if errors.As(err, &missing) {
		placeholder, _ := pflag.UnquoteUsage(missing.GetFlag())
		return fmt.Errorf("--%s: its value is missing: want --%[1]s %s", missing.GetFlag().Name, placeholder)
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	want := map[string]string{
		"float64": "a number",
		"int":     "a whole number", "int64": "a whole number", "uint64": "a whole number from 0 on",
		"intSlice": "whole numbers with commas between them",
		"duration": "a duration such as 90s or 1h30m", "bool": "true or false",
	}[invalid.GetFlag().Value.Type()]
	if want == "" {
		return fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	}
	return fmt.Errorf("--%s %q: want %s", invalid.GetFlag().Name, invalid.GetValue(), want)
}

// CommandName returns a command's name for an error, which begins with the program's name: "dataset verify".
func CommandName(c *cobra.Command) string {
	return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
}

// RequireOneArgument requires exactly one argument. what describes it for the error.
func RequireOneArgument(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return fmt.Errorf("%s is missing; see %s --help", what, c.CommandPath())
		case len(args) > 1:
			return fmt.Errorf("%s: %q are %d arguments, want one: %s", CommandName(c), args, len(args), what)
		}
		return nil
	}
}

// RejectArguments rejects arguments.
func RejectArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument, %q was given", CommandName(c), args)
	}
	return nil
}

// FirstChanged returns the first of the flags that the user gave, or "".
func FirstChanged(c *cobra.Command, names ...string) string {
	for _, name := range names {
		if c.Flags().Changed(name) {
			return name
		}
	}
	return ""
}
