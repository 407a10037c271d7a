package command

import (
	"bytes"
	"strings"
	"testing"
)

// TestEnvironment_WarnsOfWhatIsNoSetting ensures that a variable which changes nothing is told once, with the name that was probably meant,
// and that settings and what others set are not.
func TestEnvironment_WarnsOfWhatIsNoSetting(t *testing.T) {
	for pair, nearest := range map[string]string{
		"EINVOICED_LISTN=127.0.0.1:1":                     "EINVOICED_LISTEN",
		"EINVOICED_DATABASE_URL=x":                        "EINVOICED_DATABASE",
		"EINVOICED_RULEBOOK=x":                            "EINVOICED_RULEBOOKS",
		"EINVOICED_PORT=8080":                             "EINVOICED_PROXY",
		"EINVOICED_LISTEN=127.0.0.1:1":                    "",
		"EINVOICED_WEBHOOK_SECRET=x":                      "",
		"LISTEN=x":                                        "",
		"EINVOICED_SHARED=x":                              "",
		"EINVOICED_TEST_REDIS=x":                          "",
		"EINVOICED_PORT=tcp://10.0.0.1:8080":              "",
		"EINVOICED_SERVICE_HOST=10.0.0.1":                 "",
		"EINVOICED_SERVICE_PORT_HTTP=8080":                "",
		"EINVOICED_API_PORT_8080_TCP=tcp://10.0.0.1:8080": "",
		"EINVOICED_PORT_8080_TCP_ADDR=10.0.0.1":           "",
	} {
		var out, errs bytes.Buffer
		m := &Main{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: []string{"PATH=/bin", pair}}
		if err := m.Parse([]string{"version"}); err != nil {
			t.Fatal(err)
		}
		if err := m.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := ""
		if name, _, _ := strings.Cut(pair, "="); nearest != "" {
			want = "einvoiced: warning: " + name + " is not a setting; the nearest is " + nearest + "\n"
		}
		if errs.String() != want {
			t.Errorf("%s: %q, want %q", pair, errs.String(), want)
		}
	}
}
