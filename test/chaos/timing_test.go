//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// separable is the t beyond which two means differ with an error of 1 %, of many samples.
const separable = 2.576

// H5: how long the refusal of a key takes does not tell whether there is a key that begins so. Both kinds are asked for in turn over the
// same connections. The whole test fails where three measurements out of three tell them apart: one does so by chance now and then.
func TestH5_RefusalsDoNotTellKnownKeys(t *testing.T) {
	h := open(t, harness.Embedded)
	known, url := h.Customer().Key, h.Customer().Bases[0]+"/api/v1/jobs"
	var ts []float64
	for range size(1, 3) {
		times := refusals(t, url, size(600, 10_000), func(i int) string {
			key := []byte(known)
			if i%2 > 0 {
				scramble(key[len("sk_test_") : len("sk_test_")+8]) // the characters that find a row
			}
			scramble(key[len("sk_test_")+8 : len(key)-6])
			return string(append(key[:len(key)-6], checksum(key[:len(key)-6])...))
		})
		ts = append(ts, welch(trimmed(times[0]), trimmed(times[1])))
		t.Logf("known: %s, unknown: %s, medians of %d; t = %.2f", harness.Percentile(times[0], 50), harness.Percentile(times[1], 50), len(times[0]), ts[len(ts)-1])
	}
	if *whole && !slices.ContainsFunc(ts, func(t float64) bool { return math.Abs(t) < separable }) {
		t.Errorf("known and unknown keys are told apart: t = %.2f", ts)
	}
}

// refusals asks 2n times with keys that must be refused, and gives the times of those with even and with odd numbers.
func refusals(t *testing.T, url string, n int, key func(i int) string) (times [2][]time.Duration) {
	t.Helper()
	const ofOneAddress = 200 // below what makes the service throttle an address
	random := rand.New(rand.NewPCG(5, uint64(time.Now().UnixNano())))
	for len(times[1]) < n {
		client := from(net.IPv4(127, byte(1+random.IntN(250)), byte(random.IntN(256)), byte(1+random.IntN(250))))
		for i := range ofOneAddress {
			took, status := refusal(t, client, url, key(i))
			if status != http.StatusUnauthorized {
				t.Fatalf("status %d", status)
			}
			if i > 1 { // these open the connection
				times[i%2] = append(times[i%2], took)
			}
		}
		client.CloseIdleConnections()
	}
	return times
}

// refusal sends one request and tells how long its answer took.
func refusal(t *testing.T, client *http.Client, url, key string) (time.Duration, int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	began := time.Now()
	res, err := client.Do(request)
	took := time.Since(began)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body) // the status is there
	_ = res.Body.Close()                 // the same
	return took, res.StatusCode
}

// from is a client with an address of its own.
func from(address net.IP) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: address}}
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1, DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, to)
	}}}
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func scramble(characters []byte) {
	for i := range characters {
		characters[i] = base62[rand.IntN(len(base62))]
	}
}

// checksum is what a key ends with: the CRC-32 of the rest in six digits to the base 62. A key without it is refused unseen.
func checksum(body []byte) (digits []byte) {
	digits = fmt.Appendf(nil, "%06d", 0)
	for i, rest := len(digits)-1, crc32.ChecksumIEEE(body); i >= 0; i, rest = i-1, rest/62 {
		digits[i] = base62[rest%62]
	}
	return digits
}

// trimmed leaves out the twentieth that took longest: what they waited for has nothing to do with keys.
func trimmed(times []time.Duration) []time.Duration {
	slices.Sort(times)
	return times[:len(times)*19/20]
}

// welch is the t of two samples.
func welch(a, b []time.Duration) float64 {
	ma, va := moments(a)
	mb, vb := moments(b)
	return (ma - mb) / math.Sqrt(va/float64(len(a))+vb/float64(len(b)))
}

// moments gives mean and variance.
func moments(times []time.Duration) (mean, variance float64) {
	for _, d := range times {
		mean += float64(d) / float64(len(times))
	}
	for _, d := range times {
		variance += (float64(d) - mean) * (float64(d) - mean) / float64(len(times)-1)
	}
	return mean, variance
}
