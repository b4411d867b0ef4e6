export { createTools } from './tools.js';
export { BridgeFailure, cancelled, deadlineExceeded, faulted, refused, unsupported } from './failure.js';
export { MissingJspi, hasJspi } from './load.js';
