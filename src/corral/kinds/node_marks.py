"""What a Node carries besides what Kubernetes defines, so that those who write it and those who read it agree."""

CERTIFICATE_FINGERPRINT = "corral.dev/kubelet-certificate-sha256"
"""The annotation with the fingerprint of the certificate that the node's own API serves with, in hexadecimal digits.

Such a certificate is signed by nobody else. Whoever trusts the API knows by this whom it speaks with, and shows its token
to nobody else.
"""
