package catalog

import (
	"context"
	"io"
	"maps"
	"slices"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/discover"
)

// listBackends starts a plugin and returns the descriptions of its backends.
func (a *app) listBackends(ctx context.Context, e discover.Entry, o host.LaunchOptions) ([]sdk.BackendInfo, error) {
	p, err := a.Plugins.Launch(ctx, e.Path, o)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Backends(ctx)
}

// writeBackends prints the description, the devices and the options of each backend.
func writeBackends(w io.Writer, infos []sdk.BackendInfo) error {
	if len(infos) == 0 {
		return nil
	}
	writeHeading(w, "Backends", "(--backend NAME --device DEVICE,...)")
	t := backendTable(infos)
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	for _, b := range infos {
		if len(b.Options) == 0 {
			continue
		}
		writeHeading(w, "Options of "+b.Name, "(--backend-opt NAME=VALUE)")
		t := optionTable(b.Options)
		if _, err := t.WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}

func backendTable(infos []sdk.BackendInfo) table.Table {
	t := table.Table{Indent: "  "}
	for _, b := range infos {
		t.Row(b.Name, shell.TextOrDash(b.Version), shell.JoinOrDash(b.Devices))
		for _, key := range slices.Sorted(maps.Keys(b.Details)) {
			t.Row("", key+" "+b.Details[key])
		}
	}
	return t
}

func optionTable(options []backend.Option) table.Table {
	t := table.Table{Indent: "  "}
	for _, o := range options {
		t.Row(o.Name, "default "+shell.TextOrDash(o.Default), o.Help)
	}
	return t
}

// writeDevices prints the devices of each backend of each plugin.
func (a *app) writeDevices(ctx context.Context, c *discover.Catalog, o host.LaunchOptions) error {
	t := table.Table{}
	t.Head("PLUGIN", "BACKEND", "DEVICES", "VERSION")
	for _, e := range c.Entries {
		if e.Err != nil {
			continue
		}
		infos, err := a.listBackends(ctx, e, o)
		if err != nil {
			return err
		}
		for _, b := range infos {
			t.Row(e.Name, b.Name, shell.JoinOrDash(b.Devices), shell.TextOrDash(b.Version))
		}
	}
	_, err := t.WriteTo(a.Stdout)
	return err
}
