package outbound

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// last gives the last address of a range.
func last(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

// samples are addresses of every class, and some that are known for what they lead to.
func samples() []netip.Addr {
	var list []netip.Addr
	for _, c := range Classes {
		list = append(list, c.Prefix.Addr(), last(c.Prefix))
	}
	for _, s := range []string{"127.0.0.1", "169.254.169.254", "100.100.100.200", "192.0.0.192", "255.255.255.255", "fd00:ec2::254", "::ffff:127.0.0.1",
		"::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2001:0:7f00:1::", "::127.0.0.1", "fe80::1", "4000::1", "e000::1", "400::1"} {
		list = append(list, netip.MustParseAddr(s))
	}
	return list
}

// literal writes an address as the host of a URL.
func literal(a netip.Addr) string {
	if a.Is6() {
		return "[" + a.String() + "]"
	}
	return a.String()
}

// disguises are the ways to write an address so that it does not look like it.
func disguises(a netip.Addr) map[string]string {
	host := literal(a)
	urls := map[string]string{
		"literal":                    "https://" + host + "/x",
		"literal with port":          "https://" + host + ":443/x",
		"userinfo":                   "https://user:password@" + host + "/x",
		"userinfo that looks public": "https://hooks.example@" + host + "/x",
		"backslash":                  `https://` + host + `\@hooks.example/x`,
	}
	if a.Is6() {
		urls["zone"] = "https://[" + a.String() + "%25lo]/x"
		urls["zone unescaped"] = "https://[" + a.String() + "%lo]/x"
		urls["long form"] = "https://[" + a.StringExpanded() + "]/x"
		return urls
	}
	b := a.As4()
	number := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	for name, form := range map[string]string{
		"decimal": fmt.Sprint(number), "hexadecimal": fmt.Sprintf("0x%x", number), "octal": fmt.Sprintf("0%o", number),
		"octal parts": fmt.Sprintf("0%o.0%o.0%o.0%o", b[0], b[1], b[2], b[3]), "hexadecimal parts": fmt.Sprintf("0x%x.0x%x.0x%x.0x%x", b[0], b[1], b[2], b[3]),
		"two parts": fmt.Sprintf("%d.%d", b[0], number&0xffffff), "three parts": fmt.Sprintf("%d.%d.%d", b[0], b[1], number&0xffff),
		"leading zeros": fmt.Sprintf("%03d.%03d.%03d.%03d", b[0], b[1], b[2], b[3]), "trailing dot": a.String() + ".",
		"ideographic dots": strings.ReplaceAll(a.String(), ".", "。"), "full-width dots": strings.ReplaceAll(a.String(), ".", "．"),
		"half-width dots": strings.ReplaceAll(a.String(), ".", "｡"), "full-width digits": strings.Map(wide, a.String()),
		"mapped": "[::ffff:" + a.String() + "]", "translated": "[64:ff9b::" + a.String() + "]", "compatible": "[::" + a.String() + "]",
		"percent": strings.ReplaceAll(a.String(), ".", "%2e"), "overflow": fmt.Sprintf("%d.%d.%d.%d", int(b[0])+256, b[1], b[2], b[3]),
	} {
		urls[name] = "https://" + form + "/x"
	}
	return urls
}

func wide(r rune) rune {
	if r >= '0' && r <= '9' {
		return '０' + r - '0'
	}
	return r
}

// TestGuard_RefusesEveryClassInEveryForm ensures that no address of any class is connected to, however it is written or found.
func TestGuard_RefusesEveryClassInEveryForm(t *testing.T) {
	f := newFixture(t, Config{}, ok)
	forms := 0
	refuses := func(a netip.Addr, form, url string, preparations ...[]netip.Addr) {
		t.Helper()
		forms++
		f.names.answers["rebound.example"] = preparations
		if len(preparations) > 1 { // rebinding: the check sees what is harmless
			if err := f.Check(t.Context(), url); err != nil {
				t.Errorf("%s: %s: refused too early: %v", a, form, err)
			}
		}
		for name, err := range map[string]error{"check": f.Check(t.Context(), url), "post": second(f.Post(t.Context(), url, nil, nil, 1)), "get": second(f.Get(t.Context(), url, 1))} {
			if reasonFor(t, err) == "" {
				t.Errorf("%s: %s: %s lets %s through", a, form, name, url)
			} else if text := err.Error(); strings.Contains(text, a.String()) {
				t.Errorf("%s: %s: the message for clients tells the address: %s", a, form, text)
			}
		}
	}
	for _, a := range samples() {
		for form, url := range disguises(a) {
			refuses(a, form, url)
		}
		const url = "https://rebound.example/x"
		refuses(a, "name", url, []netip.Addr{a})
		refuses(a, "mixed records", url, []netip.Addr{public, a})
		refuses(a, "mixed records in the other order", url, []netip.Addr{a, public})
		refuses(a, "rebinding", url, []netip.Addr{public}, []netip.Addr{a})
		refuses(a, "name with a dot at its end", "https://rebound.example./x", []netip.Addr{a})
	}
	if n := f.connections(); n != 0 {
		t.Errorf("%d connections were made: %v", n, f.dialed)
	}
	t.Logf("%d forms of %d addresses", forms, len(samples()))
}

func second[T any](_ T, err error) error { return err }

// TestGuard_RefusesTheSocket ensures that what the resolver's check had let through would still be refused at the socket.
func TestGuard_RefusesTheSocket(t *testing.T) {
	f := newFixture(t, Config{}, ok)
	for _, a := range samples() {
		if err := f.control("hooks.example", "443")("tcp", netip.AddrPortFrom(a, 443).String(), nil); reasonFor(t, err) == "" {
			t.Errorf("%s is let through", a)
		}
	}
	if err := f.control("hooks.example", "443")("tcp", "93.184.215.14:443", nil); err != nil {
		t.Errorf("a public address: %v", err)
	}
	if err := f.control("hooks.example", "443")("unix", "@socket", nil); reasonFor(t, err) == "" {
		t.Error("what is no address is let through")
	}
}

// TestGuard_FollowsNoRedirect ensures that an answer which sends elsewhere leads nowhere.
func TestGuard_FollowsNoRedirect(t *testing.T) {
	for _, a := range samples() {
		f := newFixture(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://"+literal(a)+"/", http.StatusFound)
		})
		res, reason := f.post(t, "https://hooks.example/x")
		if res.Status != http.StatusFound || reason != "" {
			t.Errorf("%s: status %d, reason %q", a, res.Status, reason)
		}
		if _, err := f.Get(t.Context(), "https://hooks.example/x", 100); reasonFor(t, err) != ReasonRedirect {
			t.Errorf("%s: a redirect of a Get: %v", a, err)
		}
		for _, d := range f.dialed {
			if d.Addr() != public {
				t.Errorf("connected to %s", d)
			}
		}
	}
}

// TestGuard_DialsWhatItChecked ensures that a name is resolved once for a connection, and that the connection goes to that address.
func TestGuard_DialsWhatItChecked(t *testing.T) {
	f := newFixture(t, Config{}, ok)
	f.names.answers["rebound.example"] = [][]netip.Addr{{public}, {netip.MustParseAddr("127.0.0.1")}}
	if res, reason := f.post(t, "https://rebound.example/"); res.Status != 200 || reason != "" {
		t.Fatalf("status %d, reason %q", res.Status, reason)
	}
	if want := []netip.AddrPort{netip.AddrPortFrom(public, 443)}; !slices.Equal(f.dialed, want) || len(f.names.asked) != 1 {
		t.Errorf("connected to %v after the questions %v", f.dialed, f.names.asked)
	}
}

// TestGuard_Classes ensures that each row tells where it comes from, and that none is hidden behind an earlier one.
func TestGuard_Classes(t *testing.T) {
	for i, c := range Classes {
		if c.Source == "" || c.Why == "" || c.Prefix != c.Prefix.Masked() {
			t.Errorf("row %s is incomplete", c.Prefix)
		}
		for _, earlier := range Classes[:i] {
			if earlier.Prefix.Contains(c.Prefix.Addr()) && earlier.Prefix.Bits() <= c.Prefix.Bits() {
				t.Errorf("row %s is hidden behind %s", c.Prefix, earlier.Prefix)
			}
		}
		if r, detail := classify(last(c.Prefix)); r == "" || detail == "" {
			t.Errorf("the last address of %s is let through", c.Prefix)
		}
	}
	for _, s := range []string{"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "223.255.255.255",
		"2606:4700::1", "2a00::1", "2003::1", "2001:200::1", "3ffe::1"} {
		if r, detail := classify(netip.MustParseAddr(s)); r != "" {
			t.Errorf("%s is anybody's, but refused: %s", s, detail)
		}
	}
}

// TestGuard_RefusesAllThatIsNotGlobal holds the table against what the standard library knows of addresses.
func TestGuard_RefusesAllThatIsNotGlobal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := netip.AddrFrom4([4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "IPv4")))
		if rapid.Bool().Draw(t, "IPv6") {
			a = netip.AddrFrom16([16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "IPv6 address")))
		}
		if r, _ := classify(a); r == "" && (!a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.Is4In6()) {
			t.Fatalf("%s is let through", a)
		}
	})
}

// TestTarget ensures what of a URL is refused before anybody is asked.
func TestTarget(t *testing.T) {
	f := newFixture(t, Config{}, ok)
	f.names.answers["xn--bcher-kva.example"] = [][]netip.Addr{{public}}
	f.names.answers["a_b.hooks.example"] = [][]netip.Addr{{public}}
	for url, want := range map[string]Reason{
		"https://hooks.example":           "",
		"https://HOOKS.example:443/a?b=c": "",
		"https://93.184.215.14/":          "",
		"https://[2606:4700::1]/":         "",
		"https://xn--bcher-kva.example/":  "",
		"https://a_b.hooks.example/":      "",
		"http://hooks.example":            ReasonScheme,
		"HTTP://hooks.example":            ReasonScheme,
		"ftp://hooks.example":             ReasonScheme,
		"file:///etc/passwd":              ReasonScheme,
		"gopher://hooks.example":          ReasonScheme,
		"//hooks.example":                 ReasonScheme,
		"hooks.example":                   ReasonScheme,
		"":                                ReasonScheme,
		"https:hooks.example":             ReasonURL,
		"https://hooks.example/#part":     ReasonURL,
		"https://hooks.example/\x00":      ReasonURL,
		"https://hooks.example/" + strings.Repeat("x", 2048): ReasonURL,
		"https://hooks.example:444/":                         ReasonPort,
		"https://hooks.example:80/":                          ReasonPort,
		"https://hooks.example:/":                            ReasonPort,
		"https://hooks.example:00443/":                       ReasonPort,
		"https://@hooks.example/":                            ReasonUserinfo,
		"https://":                                           ReasonHost,
		"https:///path":                                      ReasonHost,
		"https://localhost/":                                 ReasonHost,
		"https://bücher.example/":                            ReasonHost,
		"https://hooks..example/":                            ReasonHost,
		"https://-hooks.example/":                            ReasonHost,
		"https://hooks.example.1/":                           ReasonHost,
		"https://hooks.example.0x1/":                         ReasonHost,
		"https://" + strings.Repeat("a.", 130) + "example/":  ReasonHost,
		"https://" + strings.Repeat("a", 64) + ".example/":   ReasonHost,
		"https://unknown.example/":                           ReasonUnresolved,
	} {
		if got := reasonFor(t, f.Check(t.Context(), url)); got != want {
			t.Errorf("%.60q: reason %q, want %q", url, got, want)
		}
	}
}

// TestAllowList ensures that each form of entry allows what it says and nothing more.
func TestAllowList(t *testing.T) {
	f := newFixture(t, Config{
		Allow: []string{"10.0.0.0/8", "192.168.1.7", "fd00::/8", "Inside.example:8443", "localhost:9443", "http://127.0.0.1:9090", "172.16.0.5:8443"},
		Listeners: func() []netip.AddrPort {
			return []netip.AddrPort{netip.MustParseAddrPort("10.0.0.9:8080"), netip.MustParseAddrPort("127.0.0.1:8080")}
		},
	}, ok)
	inside := netip.MustParseAddr("172.16.9.9")
	f.names.answers["inside.example"] = [][]netip.Addr{{inside}}
	f.names.answers["ten.example"] = [][]netip.Addr{{netip.MustParseAddr("10.1.1.1")}}
	f.names.answers["mixed.example"] = [][]netip.Addr{{netip.MustParseAddr("10.1.1.1"), inside}}
	f.names.answers["localhost"] = [][]netip.Addr{{netip.MustParseAddr("127.0.0.1")}}
	for url, want := range map[string]Reason{
		"https://10.1.2.3/":            "",
		"https://ten.example/":         "",
		"https://192.168.1.7/":         "",
		"https://[fd00::1]/":           "",
		"https://inside.example:8443/": "",
		"https://localhost:9443/":      "",
		"http://127.0.0.1:9090/":       "",
		"https://172.16.0.5:8443/":     "",
		"https://10.1.2.3:8443/":       ReasonPort,
		"http://10.1.2.3/":             ReasonScheme,
		"https://192.168.1.8/":         ReasonPrivate,
		"https://inside.example/":      ReasonPrivate,
		"https://mixed.example/":       ReasonPrivate,
		"http://inside.example:8443/":  ReasonScheme,
		"http://127.0.0.1:9091/":       ReasonScheme,
		"https://localhost/":           ReasonHost,
		"https://localhost:9444/":      ReasonHost,
		"https://172.16.0.5/":          ReasonPrivate,
		"https://10.0.0.9/":            ReasonOwn,
	} {
		if got := reasonFor(t, f.Check(t.Context(), url)); got != want {
			t.Errorf("%s: reason %q, want %q", url, got, want)
		}
	}
}

// TestAllowList_RefusesNonsense ensures that an entry which is none is named.
func TestAllowList_RefusesNonsense(t *testing.T) {
	for _, entry := range []string{"", "everything", "10.0.0.0/33", "hooks.example", "hooks.example:https", "hooks.example:99999", "fe80::1%eth0",
		"http://10.0.0.1:80", "http://hooks.example:80", "https://hooks.example:8443", "127.1:80", "bücher.example:443"} {
		if _, err := New(Config{Allow: []string{entry}}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", entry)) {
			t.Errorf("%q: %v", entry, err)
		}
	}
}

// TestOwnListeners ensures that the service does not send to itself, whatever is allowed, also where it listens on all addresses.
func TestOwnListeners(t *testing.T) {
	own := netip.MustParseAddrPort("0.0.0.0:8080")
	f := newFixture(t, Config{
		Allow:     []string{"127.0.0.0/8", "0.0.0.0/0", "::/0", "127.0.0.1:8080", "127.0.0.2:8080", "http://127.0.0.1:9090"},
		Listeners: func() []netip.AddrPort { return []netip.AddrPort{own, netip.MustParseAddrPort("93.184.215.14:443")} },
	}, ok)
	for url, want := range map[string]Reason{
		"https://127.0.0.1:8080/":   ReasonOwn,
		"https://127.0.0.1/":        ReasonOwn,
		"https://93.184.215.14/":    ReasonOwn,
		"https://hooks.example/":    ReasonOwn,
		"http://127.0.0.1:9090/":    "",
		"https://127.0.0.2/":        "",
		"https://127.0.0.2:8080/":   ReasonOwn,
		"https://[2606:4700::1]/":   "",
		"https://169.254.169.254/x": "",
	} {
		if got := reasonFor(t, f.Check(t.Context(), url)); got != want {
			t.Errorf("%s: reason %q, want %q", url, got, want)
		}
	}
}

func FuzzTarget(f *testing.F) {
	for _, s := range []string{"https://hooks.example/x", "https://127.1", "https://[::1%25lo]:443", "https://a@b", "https://0x7f.1", "https://１.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		c, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		u, refused := c.parse(raw)
		if refused != nil {
			return
		}
		if u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Hostname() == "" || strings.ContainsAny(u.Hostname(), "%@\\ ") {
			t.Errorf("%q is let through as %q", raw, u)
		}
		if addr, err := netip.ParseAddr(u.Hostname()); err != nil && isNumber(u.Hostname()[strings.LastIndex(u.Hostname(), ".")+1:]) || err == nil && addr.Zone() != "" {
			t.Errorf("%q is let through as %q", raw, u)
		}
	})
}
