// Package dynamo reads running DynamoDB tables, their streams and their metrics, and objects in S3. It
// only reads. What AWS answers is handed to the formats that read it from files, so that a table and a
// recording of it give the same. The package must not know how a format reads, nor what becomes of what
// it tells. Credentials, roles and profiles are the matter of the AWS SDK, which takes them from the
// process's environment and files as the AWS command line does.
package dynamo

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"

	"github.com/keyheat/keyheat/ingest"
)

// The formats that answers of AWS are handed to.
const (
	formatStream   = "dynamodb-stream"
	formatDescribe = "aws-description"
	formatMetrics  = "cloudwatch-metrics"
	formatInsights = "contributor-insights"
)

// A Server is a table of DynamoDB in one region.
type Server struct {
	address address
	options ingest.LiveOptions
	formats map[string]*ingest.Format
	wire    wire
}

// Open gives the table that a URL names:
//
//	dynamodb://TABLE?region=eu-west-1&from=latest&profile=NAME&endpoint=http://127.0.0.1:4566
//
// from is latest (the default), trim-horizon or a time in RFC 3339. No request is made. The error joins
// every fault of the URL. LiveOptions.Formats must hold the formats of AWS.
func Open(u *url.URL, o ingest.LiveOptions) (ingest.Server, error) {
	a, err := parseAddress(u)
	if err != nil {
		return nil, err
	}
	s := &Server{address: a, options: o, formats: map[string]*ingest.Format{}, wire: newWire()}
	for _, name := range []string{formatStream, formatDescribe, formatMetrics, formatInsights} {
		f := o.Format(name)
		if f == nil {
			return nil, fmt.Errorf("the format %s is missing", name)
		}
		s.formats[name] = f
	}
	return s, nil
}

// Collect reads the table's description, its metrics and its stream, until the context ends or the stream
// is closed and read. A table without a stream is described and measured once.
func (s *Server) Collect(ctx context.Context, to ingest.Streams) error {
	a, err := s.clients(ctx)
	if err != nil {
		return s.named(err)
	}
	c := newCaller(s.options)
	defer c.tell(to)
	t, err := s.describe(ctx, c, a.tables, a.scaling, a.region, to)
	if err != nil {
		return s.named(ended(ctx, err))
	}
	measured := make(chan error, 1)
	reading, stop := context.WithCancel(ctx)
	go func() { measured <- s.measure(ctx, reading.Done(), c, a.metrics, t, to) }()
	err = s.follow(ctx, c, a.streams, t, to)
	stop()
	return errors.Join(s.named(ended(ctx, err)), s.named(ended(ctx, <-measured)))
}

// ended gives no error when the context ended, which is how most runs end.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// named says which source each of the errors joined in err is of.
func (s *Server) named(err error) error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return fmt.Errorf("dynamodb://%s: %w", s.address.table, err)
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, s.named(one))
	}
	return errors.Join(all...)
}

// clients are what requests are made with.
type clients struct {
	region  string
	tables  *dynamodb.Client
	streams *dynamodbstreams.Client
	metrics *cloudwatch.Client
	scaling *applicationautoscaling.Client
}

// clients loads the SDK's settings.
func (s *Server) clients(ctx context.Context) (*clients, error) {
	cfg, err := s.address.config(ctx)
	if err != nil {
		return nil, err
	}
	if cfg.Region == "" {
		return nil, errors.New("no region: add ?region=eu-west-1 or the like, or set AWS_REGION")
	}
	return &clients{
		region: cfg.Region, tables: dynamodb.NewFromConfig(cfg), streams: dynamodbstreams.NewFromConfig(cfg), metrics: cloudwatch.NewFromConfig(cfg),
		scaling: applicationautoscaling.NewFromConfig(cfg),
	}, nil
}

// config gives the SDK's settings. Its clients make each request once: again is the caller's matter.
func (a *address) config(ctx context.Context) (aws.Config, error) {
	settings := []func(*config.LoadOptions) error{
		config.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }), config.WithLogger(logging.Nop{}),
		config.WithAPIOptions([]func(*middleware.Stack) error{plainBodies}),
	}
	if a.region != "" {
		settings = append(settings, config.WithRegion(a.region))
	}
	if a.profile != "" {
		settings = append(settings, config.WithSharedConfigProfile(a.profile))
	}
	if a.endpoint != "" {
		settings = append(settings, config.WithBaseEndpoint(a.endpoint))
	}
	cfg, err := config.LoadDefaultConfig(ctx, settings...)
	if err != nil {
		return cfg, fmt.Errorf("settings of AWS: %w", err)
	}
	return cfg, nil
}
