package queue

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// form is what a scheme of Config.Redis stands for.
type form struct {
	tls      bool
	sentinel bool   // the hosts are sentinels, the path begins with the name of the master
	cluster  bool   // the hosts are nodes of a cluster, which has one database only
	port     string // of a host that brings none
}

var forms = map[string]form{
	"redis":           {port: "6379"},
	"rediss":          {port: "6379", tls: true},
	"redis-sentinel":  {port: "26379", sentinel: true},
	"rediss-sentinel": {port: "26379", sentinel: true, tls: true},
	"redis-cluster":   {port: "6379", cluster: true},
	"rediss-cluster":  {port: "6379", cluster: true, tls: true},
}

// parseAddress reads Config.Redis. It takes the address apart by itself: net/url accepts no list of hosts, and its errors
// repeat the address with the password. None of the errors here does.
func parseAddress(address string, trust *tls.Config) (*redis.UniversalOptions, error) {
	scheme, rest, _ := strings.Cut(address, "://")
	f, ok := forms[scheme]
	if !ok {
		return nil, errors.New("it begins with none of redis:// rediss:// redis-sentinel:// rediss-sentinel:// redis-cluster:// rediss-cluster://")
	}
	rest, query, _ := strings.Cut(rest, "?")
	o := defaultOptions()
	var err error
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		if o.Username, o.Password, err = credentials(rest[:at]); err != nil {
			return nil, err
		}
		rest = rest[at+1:]
	}
	hosts, path, _ := strings.Cut(rest, "/")
	if o.Addrs, err = f.addresses(hosts); err != nil {
		return nil, err
	}
	if err := f.path(o, path); err != nil {
		return nil, err
	}
	if f.tls {
		o.TLSConfig = secured(trust)
	}
	o.IsClusterMode = f.cluster
	return o, f.query(o, query)
}

// defaultOptions are short waits: what a server does not take is enqueued again by the reconciler.
func defaultOptions() *redis.UniversalOptions {
	return &redis.UniversalOptions{
		MaxRetries: 1, DialerRetries: 1, DialTimeout: 2 * time.Second, ReadTimeout: 3 * time.Second,
		ContextTimeoutEnabled: true, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}

// credentials reads user:password, each with %-escapes where needed.
func credentials(s string) (user, password string, err error) {
	user, password, _ = strings.Cut(s, ":")
	if user, err = url.PathUnescape(user); err == nil {
		password, err = url.PathUnescape(password)
	}
	if err != nil {
		return "", "", errors.New("its user or password has a % that is no escape: write %25 for %, %40 for @, %2F for /")
	}
	return user, password, nil
}

// addresses splits the list of hosts and gives each its port.
func (f form) addresses(hosts string) ([]string, error) {
	list := strings.Split(hosts, ",")
	if len(list) > 1 && !f.sentinel && !f.cluster {
		return nil, errors.New("it names several hosts: that needs redis-sentinel:// or redis-cluster://")
	}
	for i, host := range list {
		name, port, err := net.SplitHostPort(host)
		if err != nil {
			name, port = strings.Trim(host, "[]"), f.port
		}
		if n, err := strconv.Atoi(port); name == "" || err != nil || n < 1 || n > 65535 {
			return nil, fmt.Errorf("%q is no host:port", host)
		}
		list[i] = net.JoinHostPort(name, port)
	}
	return list, nil
}

// path reads what follows the hosts: the database's number, for sentinels after the name of the master.
func (f form) path(o *redis.UniversalOptions, path string) error {
	if f.sentinel {
		o.MasterName, path, _ = strings.Cut(path, "/")
		if o.MasterName == "" {
			return errors.New("it does not name the master: redis-sentinel://host1,host2/master")
		}
	}
	if path == "" {
		return nil
	}
	n, err := strconv.Atoi(path)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is no number of a database", path)
	}
	if n > 0 && f.cluster {
		return errors.New("a cluster has database 0 only")
	}
	o.DB = n
	return nil
}

// query reads the options after the question mark: the credentials of the sentinels themselves.
func (f form) query(o *redis.UniversalOptions, query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("what follows its question mark is malformed")
	}
	for name, value := range values {
		switch {
		case f.sentinel && name == "sentinel_username":
			o.SentinelUsername = value[0]
		case f.sentinel && name == "sentinel_password":
			o.SentinelPassword = value[0]
		default:
			return fmt.Errorf("it has an unknown option %q", name)
		}
	}
	return nil
}

// secured is the TLS configuration; each server is checked against the name it is reached by.
func secured(trust *tls.Config) *tls.Config {
	if trust == nil {
		return &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return trust.Clone()
}
