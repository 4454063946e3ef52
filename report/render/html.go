package render

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"

	"github.com/keyheat/keyheat/report"
)

var htmlReport = &Renderer{
	Name:  "html",
	Title: "a page to open, print and send on: findings, heat maps, tables",
	Doc: "One file that needs no network: findings with evidence and proposals, a heat map of keys and time for each table that matters, top keys, checklist, what was not assessed and what could not be read. " +
		"Its policy lets no script and no style run but its own, and nothing be loaded. Long lists are cut, and say so.",
	Render: renderHTML,
}

//go:embed assets/report.html
var htmlTemplate string

//go:embed assets/report.css
var htmlStyle string

//go:embed assets/report.js
var htmlScript string

func renderHTML(w io.Writer, r *report.Report, o Options) error {
	page, err := template.New("report").Parse(htmlTemplate)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Execute(&b, newHTMLPage(r, o)); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// htmlPolicy is the Content-Security-Policy of a page: its own style and script alone, no request at all.
func htmlPolicy(style, script string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) + "; base-uri 'none'; form-action 'none'"
}
