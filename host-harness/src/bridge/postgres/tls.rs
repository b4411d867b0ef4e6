//! How the server is known: by the certificates that it is judged by.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

/// What connects with TLS where the address asks for it.
pub(crate) fn connector(config: &tokio_postgres::Config, root: Option<&Path>) -> Result<MakeRustlsConnect, String> {
    let remote =
        config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(_))) || !config.get_hostaddrs().is_empty();
    let mut roots = rustls::RootCertStore::empty();
    if let Some(path) = root {
        let read = |error: &dyn std::fmt::Display| format!("`tls-root` {} can't be read: {error}", path.display());
        for certificate in CertificateDer::pem_file_iter(path).map_err(|error| read(&error))? {
            roots.add(certificate.map_err(|error| read(&error))?).map_err(|error| read(&error))?;
        }
        if roots.is_empty() {
            return Err(format!("`tls-root` {} holds no certificate; it must be a PEM file", path.display()));
        }
    } else if remote && config.get_ssl_mode() != SslMode::Disable {
        // Whoever embeds this may have chosen another provider already.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        return match MakeRustlsConnect::with_native_certs() {
            Ok((tls, errors)) => {
                for error in errors {
                    tracing::debug!(cause = %error, "a certificate of this machine can't be used");
                }
                Ok(tls)
            }
            // Without any, every certificate is refused, and the error of the connection says so.
            Err(_) => Ok(with_roots(rustls::RootCertStore::empty())),
        };
    }
    Ok(with_roots(roots))
}

fn with_roots(roots: rustls::RootCertStore) -> MakeRustlsConnect {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider has the default versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    MakeRustlsConnect::new(config)
}
