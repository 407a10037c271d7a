package profile

// liechtenstein has the references of Switzerland, with which it shares the QR-bill.
var liechtenstein = switzerland
