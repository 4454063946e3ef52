package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// run executes the command line of e and gives the exit code.
func run(ctx context.Context, e *env) int {
	e.stdout = &quietPipe{w: e.stdout}
	e.addObjects(ctx)
	root := newRoot(e)
	root.SetArgs(e.args)
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	cmd, err := root.ExecuteContextC(ctx)
	code := codeOf(err)
	if err != nil {
		printError(e.stderr, cmd, err, code)
	}
	return code
}

// printError writes one line a fault; findings at or over --fail-on are no fault.
func printError(w io.Writer, cmd *cobra.Command, err error, code int) {
	for line := range strings.SplitSeq(strings.TrimRight(err.Error(), "\n"), "\n") {
		fmt.Fprintf(w, "keyheat: %s\n", visible(passwordInURL.ReplaceAllString(line, "$1:…@")))
	}
	if code == exitUsage {
		fmt.Fprintf(w, "keyheat: see %s --help\n", cmd.CommandPath())
	}
}

// passwordInURL finds one in an argument that an error names.
var passwordInURL = regexp.MustCompile(`(://[^\s/:@]*):\S*@`)

// visible gives a line that a terminal cannot take for commands: names of files come from outside.
func visible(line string) string {
	out := &strings.Builder{}
	for _, r := range line {
		if unicode.IsPrint(r) && r != utf8.RuneError {
			out.WriteRune(r)
			continue
		}
		escaped := strconv.QuoteRuneToASCII(r)
		out.WriteString(escaped[1 : len(escaped)-1])
	}
	return out.String()
}

func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:   "keyheat",
		Short: "find hot partition keys and tombstones in traffic and logs",
		Long: `keyheat tells which partition key is hot, since when, how bad, why, and what to change,
for DynamoDB, Cassandra and ScyllaDB. It reads files; it never changes a database.` + exitHelp,
		Example: "  keyheat analyze /var/log/cassandra\n  keyheat keys events.ndjson --limit 10",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
		Version:       build(e),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp(root))
	root.AddCommand(
		newAnalyze(e), newChecklist(e), newCollect(e), newCompare(e), newDoctor(e), newExplain(e), newFormats(), newGenerate(e), newKey(e), newKeys(e), newLimits(e),
		newMerge(e), newNightly(e), newPatterns(e), newPlan(e), newRules(), newSimulate(e), newSketch(e), newTop(e), newVersion(e),
	)
	root.InitDefaultCompletionCmd()
	return root
}

func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "show the help of a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(root, strings.Join(args, " "))
			}
			return cmd.Help()
		},
	}
}

func unknownCommand(root *cobra.Command, name string) error {
	names := []string{}
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return usage(fmt.Errorf("unknown command %q%s", name, suggestion(name, "", names)))
}

// flagError makes what pflag says of a command line a usage error, with the nearest flag's name.
func flagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		names := []string{}
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		name := unknown.GetSpecifiedName()
		return usage(fmt.Errorf("unknown flag --%s%s", name, suggestion(name, "--", names)))
	}
	return usage(err)
}

// args makes a rule for the number of positional arguments a usage error that says what is wanted.
func args(least, most int, want string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage(fmt.Errorf("%d arguments given: want %s", len(args), want))
		case most >= 0 && len(args) > most:
			return usage(fmt.Errorf("unexpected argument %q: want %s", args[most], want))
		}
		return nil
	}
}
