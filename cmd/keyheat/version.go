package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func newVersion(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "print which keyheat this is",
		Long:    "version prints the version, the commit it was built from and the Go release that built it." + exitHelp,
		Example: "  keyheat version",
		Args:    args(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "keyheat %s\n", build(e))
			return err
		},
	}
}

// build gives the version, the commit, and the Go release and machine it was built for.
func build(e *env) string {
	return fmt.Sprintf("%s%s %s %s/%s", version(e), revision(e), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version gives the module's version, "devel" for builds of a work tree.
func version(e *env) string {
	info, ok := e.buildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// revision gives " (COMMIT)", or " (COMMIT, modified)" when the tree had changes; empty when not recorded.
func revision(e *env) string {
	info, ok := e.buildInfo()
	if !ok {
		return ""
	}
	commit, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ", modified"
		}
	}
	if commit == "" {
		return ""
	}
	return " (" + commit + modified + ")"
}
