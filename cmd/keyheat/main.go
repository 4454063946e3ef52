// Command keyheat tells which partition key is hot, since when, how bad, why, and what to change, from
// logs and exports of DynamoDB, Cassandra and ScyllaDB. This package alone knows the process (files,
// clock, terminal, environment, exit codes) and the catalogues of formats, rules, remedies and
// renderers; what it finds out is decided below it.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // --timezone works where the system has no zones
)

func main() { os.Exit(mainCode()) }

// mainCode is main with its deferred calls done; testscript runs it as a command too.
func mainCode() int {
	// Without this a write to a closed pipe kills the process before its other outputs are written.
	signal.Ignore(syscall.SIGPIPE)
	log.SetOutput(io.Discard) // the uploader of the AWS SDK logs what its errors say
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once, as people expect who press Ctrl-C twice.
	context.AfterFunc(ctx, stop)
	return run(ctx, processEnv())
}
