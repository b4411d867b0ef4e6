//! One client over standard input and output: one message a line, and nothing else on either.

use rmcp::ServerHandler;
use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, duplex};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::MESSAGE_BYTES;
use super::envelope::{self, Rejected};

/// What a pipe inside the process holds; a longer message passes in pieces.
const PIPE_BYTES: usize = 64 << 10;

/// Lines that wait to be written. Whoever writes faster than the client reads waits.
const LINES: usize = 64;

/// Serves one client until its input ends or `ended` is cancelled.
///
/// # Errors
/// The client never began a session.
pub async fn serve<H: ServerHandler>(
    handler: H,
    input: impl AsyncRead + Unpin + Send + 'static,
    output: impl AsyncWrite + Unpin + Send + 'static,
    ended: CancellationToken,
) -> Result<(), ServerInitializeError> {
    let (library_input, to_library) = duplex(PIPE_BYTES);
    let (library_output, from_library) = duplex(PIPE_BYTES);
    let (lines, outgoing) = mpsc::channel(LINES);
    let answering = lines.clone();
    let writing = tokio::spawn(write(output, outgoing));
    let relaying = tokio::spawn(relay(from_library, lines));
    let reading = tokio::spawn(read(BufReader::new(input), to_library, answering));
    let session = serve_server_with_ct(handler, (library_input, library_output), ended).await;
    let served = match session {
        Ok(session) => {
            if let Err(error) = session.waiting().await {
                tracing::error!(cause = %error, "the session broke off");
            }
            Ok(())
        }
        Err(error) => Err(error),
    };
    // What has been written inside the process is still on its way out.
    reading.abort();
    let _ = relaying.await;
    let _ = writing.await;
    served
}

/// Reads messages, checks each, and passes it on; what is refused is answered here.
async fn read(mut input: impl AsyncBufReadExt + Unpin, mut library: DuplexStream, answers: mpsc::Sender<String>) {
    loop {
        let mut line = Vec::new();
        let most = MESSAGE_BYTES as u64 + 1;
        match (&mut input).take(most).read_until(b'\n', &mut line).await {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) => {
                tracing::error!(cause = %error, "standard input can't be read");
                return;
            }
        }
        let too_long = line.len() > MESSAGE_BYTES;
        if too_long && !skip(&mut input).await {
            return;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let admitted = if too_long { Err(Rejected::too_long(MESSAGE_BYTES)) } else { envelope::admit(&line) };
        let passed = match admitted {
            Ok(admitted) => {
                // White space between the members may hold line ends.
                let mut message: Vec<u8> =
                    admitted.message.into_iter().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
                message.push(b'\n');
                library.write_all(&message).await.is_ok()
            }
            Err(why) => answers.send(why.response()).await.is_ok(),
        };
        if !passed {
            return;
        }
    }
}

/// Passes over the rest of a line; false at the end of the input.
async fn skip(input: &mut (impl AsyncBufReadExt + Unpin)) -> bool {
    loop {
        let Ok(buffer) = input.fill_buf().await else { return false };
        if buffer.is_empty() {
            return false;
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let passed = end.map_or(buffer.len(), |at| at + 1);
        input.consume(passed);
        if end.is_some() {
            return true;
        }
    }
}

/// The library's messages as lines, so that none is written into another.
async fn relay(library: DuplexStream, lines: mpsc::Sender<String>) {
    let mut messages = BufReader::new(library).lines();
    while let Ok(Some(message)) = messages.next_line().await {
        if lines.send(message).await.is_err() {
            return;
        }
    }
}

async fn write(mut output: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<String>) {
    while let Some(mut line) = lines.recv().await {
        line.push('\n');
        if output.write_all(line.as_bytes()).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}
