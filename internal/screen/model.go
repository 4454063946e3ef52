package screen

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/internal/watch"
)

// A place is what the screen shows: the tables, the keys of one, or one key.
type place struct {
	table  detect.Target
	key    string
	level  level
	filter string
	by     sortOrder
	row    string // that is marked, by its identity; empty: the first
	index  int    // of the marked row
	from   int    // first row, or line of the page, that is shown
}

type level int

const (
	atTables level = iota
	atKeys
	atKey
)

// same reports whether both show the same thing.
func (p *place) same(o *place) bool {
	return p.level == o.level && p.table == o.table && p.key == o.key
}

// model is the state of the screen. It implements tea.Model.
type model struct {
	src  Source
	o    Options
	at   place
	back []place // to go back to

	width, height int
	board         *watch.Board
	status        string
	message       string // until the next key
	lines         []string
	typing        bool // the filter
	paused        bool
	help          bool
	saving        bool
	interrupted   bool
}

func newModel(src Source, o Options) *model {
	m := &model{src: src, o: o, width: 80, height: 24, at: place{by: byLoad}}
	m.look()
	return m
}

// Init does nothing: whoever runs the Program sends what is to be done.
func (m *model) Init() tea.Cmd { return nil }

// View draws the screen.
func (m *model) View() tea.View {
	v := tea.NewView(strings.Join(m.frame(), "\n"))
	v.AltScreen = true
	return v
}

// Update takes a message.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(msg.Width, 1), max(msg.Height, 1)
		return m, m.openPage()
	case Refresh:
		if !m.paused {
			m.look()
		}
	case Findings:
		if !m.paused {
			m.o.findings = msg
			return m, m.openPage()
		}
	case Status:
		m.status = string(msg)
	case saved:
		m.saving, m.message = false, string(msg)
	case page:
		if m.at.same(&msg.of) {
			m.lines = msg.lines
		}
	case tea.PasteMsg:
		if m.typing {
			m.typed(msg.Content)
		}
	case tea.KeyPressMsg:
		m.message = ""
		return m, m.key(msg)
	}
	return m, nil
}

// maxRows bounds the rows that can be scrolled through.
const maxRows = 200

// look takes a board of the place.
func (m *model) look() {
	q := watch.Query{Limit: maxRows, Order: m.at.by.order(&m.o, nil)}
	if m.at.level != atTables {
		q.Target = &m.at.table
	}
	if m.at.level == atKey {
		q.Key = []byte(m.at.key)
	}
	if filter := strings.ToLower(m.at.filter); filter != "" && m.at.level != atKey {
		q.Keep = func(r *watch.Row) bool { return strings.Contains(strings.ToLower(m.o.rowName(r)), filter) }
	}
	m.board = m.src.Look(q)
	m.find()
}

// identity tells rows apart.
func identity(r *watch.Row) string {
	return r.Target.Store.String() + "\x00" + r.Target.Table + "\x00" + r.Target.Index + "\x00" + string(r.Key)
}

// find keeps the mark on its row, wherever that stands now; the first place keeps it itself.
func (m *model) find() {
	for i := range m.board.Rows {
		if m.at.row != "" && identity(&m.board.Rows[i]) == m.at.row {
			m.at.index = i
			return
		}
	}
	m.mark(m.at.index)
}

// mark moves the mark to a row.
func (m *model) mark(i int) {
	m.at.index = max(0, min(i, len(m.board.Rows)-1))
	m.at.row = ""
	if m.at.index > 0 {
		m.at.row = identity(&m.board.Rows[m.at.index])
	}
}

// key takes a key press.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if name == "ctrl+c" {
		m.interrupted = true
		return tea.Quit
	}
	switch {
	case m.typing:
		m.typingKey(name, msg.Text)
		return nil
	case m.help:
		m.help = false
		return nil
	}
	switch name {
	case "q":
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	case "?":
		m.help = true
	case "p":
		m.paused = !m.paused
		m.look()
	case "w":
		return m.save()
	case "/":
		m.typing = m.at.level != atKey
	case "enter", "right", "l":
		return m.enter()
	case "esc", "left", "h", "backspace":
		m.leave()
	case "<":
		m.sortBy(-1)
	case ">":
		m.sortBy(1)
	default:
		if !m.move(name) {
			m.sortByLetter(name)
		}
	}
	return nil
}

// typingKey takes a key press while the filter is typed.
func (m *model) typingKey(name, text string) {
	switch name {
	case "enter":
		m.typing = false
	case "esc":
		m.typing, m.at.filter = false, ""
	case "backspace":
		runes := []rune(m.at.filter)
		m.at.filter = string(runes[:max(0, len(runes)-1)])
	default:
		m.typed(text)
		return
	}
	m.look()
}

// maxFilter bounds the filter, in bytes.
const maxFilter = 200

// typed adds text to the filter.
func (m *model) typed(text string) {
	for _, r := range text {
		if unicode.IsPrint(r) && len(m.at.filter) < maxFilter {
			m.at.filter += string(r)
		}
	}
	m.look()
}

// save has a report written, beside all that goes on.
func (m *model) save() tea.Cmd {
	if m.saving {
		return nil
	}
	m.saving, m.message = true, "writing a report …"
	return func() tea.Msg { return saved(m.o.Save()) }
}

// enter goes into the marked row.
func (m *model) enter() tea.Cmd {
	if m.at.level == atKey || m.at.index >= len(m.board.Rows) {
		return nil
	}
	r := &m.board.Rows[m.at.index]
	m.back = append(m.back, m.at)
	m.at = place{level: m.at.level + 1, table: r.Target, key: string(r.Key), by: byLoad}
	m.lines = nil
	m.look()
	return m.openPage()
}

// leave goes back, or takes the filter off.
func (m *model) leave() {
	switch n := len(m.back); {
	case m.at.filter != "":
		m.at.filter = ""
	case n > 0:
		m.at, m.back = m.back[n-1], m.back[:n-1]
	}
	m.look()
}

// openPage asks for the page of the key that is shown.
func (m *model) openPage() tea.Cmd {
	if m.at.level != atKey {
		return nil
	}
	of, width := m.at, m.width
	return func() tea.Msg { return page{of, m.o.Page(of.table, []byte(of.key), width)} }
}

// move scrolls; it is false for other keys.
func (m *model) move(name string) bool {
	body := m.bodyRows()
	steps, ok := map[string]int{
		"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -body, "pgdown": body, "space": body, "home": -1 << 20, "g": -1 << 20, "end": 1 << 20, "G": 1 << 20,
	}[name]
	switch {
	case !ok:
	case m.at.level == atKey:
		m.at.from = max(0, min(m.at.from+steps, len(m.lines)-1))
	default:
		m.mark(m.at.index + steps)
	}
	return ok
}

// sortBy goes to the column at the left or right of the one by which rows are ordered.
func (m *model) sortBy(step int) {
	letters := []sortOrder{byName}
	for _, c := range present(&m.o, m.board, m.at.by) {
		letters = append(letters, sortOrder(c.letter))
	}
	at := 0
	for i, letter := range letters {
		if letter == m.at.by {
			at = i
		}
	}
	m.order(letters[max(0, min(at+step, len(letters)-1))])
}

func (m *model) sortByLetter(letter string) {
	if by := sortOrder(letter); by == byName || by.column() != nil {
		m.order(by)
	}
}

func (m *model) order(by sortOrder) {
	if m.at.level == atKey {
		return
	}
	m.at.by = by
	m.look()
}
