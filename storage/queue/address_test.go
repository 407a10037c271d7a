package queue

import (
	"crypto/tls"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAddressesAreRead(t *testing.T) {
	type place struct {
		Addrs                []string
		User, Password       string
		Master               string
		SentinelUser, Secret string
		DB                   int
		TLS, Cluster         bool
	}
	for address, want := range map[string]place{
		"redis://localhost":                {Addrs: []string{"localhost:6379"}},
		"redis://[::1]:7000/2":             {Addrs: []string{"[::1]:7000"}, DB: 2},
		"redis://[::1]":                    {Addrs: []string{"[::1]:6379"}},
		"rediss://:p%40ss@host:1/":         {Addrs: []string{"host:1"}, Password: "p@ss", TLS: true},
		"redis://us%3Aer:p:w@host":         {Addrs: []string{"host:6379"}, User: "us:er", Password: "p:w"},
		"redis-sentinel://h1,h2:5/main":    {Addrs: []string{"h1:26379", "h2:5"}, Master: "main"},
		"rediss-sentinel://u:p@h/main/4":   {Addrs: []string{"h:26379"}, Master: "main", DB: 4, User: "u", Password: "p", TLS: true},
		"redis-cluster://u:p@h1:1,h2:2,h3": {Addrs: []string{"h1:1", "h2:2", "h3:6379"}, User: "u", Password: "p", Cluster: true},
		"rediss-cluster://h/0":             {Addrs: []string{"h:6379"}, Cluster: true, TLS: true},
		"redis-sentinel://h/m?sentinel_password=a%26b&sentinel_username=c": {Addrs: []string{"h:26379"}, Master: "m", SentinelUser: "c", Secret: "a&b"},
	} {
		o, err := parseAddress(address, nil)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		got := place{o.Addrs, o.Username, o.Password, o.MasterName, o.SentinelUsername, o.SentinelPassword, o.DB, o.TLSConfig != nil, o.IsClusterMode}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", address, d)
		}
	}
}

func TestAddressesThatMeanNothingAreRefusedWithoutTheirPassword(t *testing.T) {
	for address, want := range map[string]string{
		"localhost:6379":                        "redis://",
		"http://u:hush-hush@host":               "redis://",
		"redis://u:hush-hush@":                  "host:port",
		"redis://u:hush-hush@host:port":         "host:port",
		"redis://u:hush-hush@host:0":            "host:port",
		"redis://u:hush-hush@host:70000":        "host:port",
		"redis://u:hush-hush%zz@host":           "escape",
		"redis://u:hush-hush@h1,h2":             "several hosts",
		"redis://u:hush-hush@host/x":            "number of a database",
		"redis://u:hush-hush@host/-1":           "number of a database",
		"redis://u:hush-hush@host?x=1":          "unknown option",
		"redis://u:hush-hush@host?%zz":          "malformed",
		"redis://host?sentinel_password=secret": "unknown option",
		"redis-sentinel://u:hush-hush@h1,h2":    "master",
		"redis-cluster://u:hush-hush@h1,h2/1":   "database 0",
		"redis-cluster://h1,,h2":                "host:port",
	} {
		_, err := Open(Config{Redis: address})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush-hush") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v, want one with %q", address, err, want)
		}
	}
}

func TestTrustIsTakenOver(t *testing.T) {
	trust := &tls.Config{ServerName: "redis.example.com", MinVersion: tls.VersionTLS13}
	o, err := parseAddress("rediss://host", trust)
	if err != nil || o.TLSConfig.ServerName != "redis.example.com" || o.TLSConfig == trust {
		t.Errorf("%+v, error %v", o.TLSConfig, err)
	}
}

func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"redis://u:p@h:1/2", "redis-sentinel://h1,h2/m/3?sentinel_username=x", "redis-cluster://[::1]:1,h", "rediss://@", "redis://:@/?"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		o, err := parseAddress(address, nil)
		if err == nil && (len(o.Addrs) == 0 || strings.Contains(address, "sentinel://") && o.MasterName == "") {
			t.Errorf("%q is read as %+v", address, o)
		}
	})
}
