package terminal

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress returns a bar that counts things on the terminal of f, such as "resources", and that goes when it is finished. total is
// -1 if nobody knows the number of things. If f is no terminal, nobody sees the bar.
func Progress(f *os.File, total int, things string) *progressbar.ProgressBar {
	return progressbar.NewOptions(total,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetVisibility(term.IsTerminal(int(f.Fd()))),
		progressbar.OptionSetDescription(things),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}
