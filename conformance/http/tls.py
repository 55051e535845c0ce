"""What went wrong in a TLS handshake, in words."""

from __future__ import annotations

import ssl

_CERTIFICATE = {
    9: "the certificate is not valid yet",
    10: "the certificate has expired",
    18: "the certificate is self-signed",
    19: "the certificate chain ends in a self-signed certificate that is not trusted here",
    20: "the certificate's issuer is not trusted here, or an intermediate certificate is missing",
    21: "the certificate's issuer is not trusted here, or an intermediate certificate is missing",
    62: "the certificate is for another name",
    64: "the certificate is for another address",
}
_HANDSHAKE = {
    "WRONG_VERSION_NUMBER": "the target does not speak TLS on this port: try http",
    "HTTP_REQUEST": "the target does not speak TLS on this port: try http",
    "UNSUPPORTED_PROTOCOL": "the target offers only versions of TLS that are no longer safe",
    "TLSV1_ALERT_PROTOCOL_VERSION": "the target and the suite have no version of TLS in common",
    "SSLV3_ALERT_HANDSHAKE_FAILURE": "the target refused the handshake",
    "TLSV13_ALERT_CERTIFICATE_REQUIRED": "the target wants a client certificate",
}


def explain(error: OSError) -> str:
    """Return the reason why the handshake failed with `error`."""
    if isinstance(error, ssl.SSLCertVerificationError):
        words = _CERTIFICATE.get(error.verify_code, "the certificate is not accepted")
        return f"{words} ({error.verify_message})"
    if isinstance(error, TimeoutError):
        return "the target did not finish the handshake in time"
    if isinstance(error, ssl.SSLError) and error.reason:
        words = _HANDSHAKE.get(error.reason, "the handshake failed")
        return f"{words} ({error.reason})"
    return "the connection ended during the handshake"
