// Serves the built site from a folder below the root, as GitHub Pages does.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { OUT } from '../build/places.mjs';

const FOLDER = '/some/folder/';
const TYPES = {
    '.html': 'text/html; charset=utf-8',
    '.js': 'text/javascript',
    '.mjs': 'text/javascript',
    '.wasm': 'application/wasm',
    '.css': 'text/css',
    '.json': 'application/json',
    '.svg': 'image/svg+xml',
    '.png': 'image/png',
};

/** {address, sent, close}: the address ends with /; `sent` lists the requested files, with their sizes. */
export async function serve() {
    const sent = [];
    const server = http.createServer((request, answer) => {
        const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
        let file = name.startsWith(FOLDER) ? path.join(OUT, name.slice(FOLDER.length)) : '';
        if (file && fs.existsSync(file) && fs.statSync(file).isDirectory())
            file = path.join(file, 'index.html');
        if (!file || !fs.existsSync(file)) {
            answer.writeHead(404, { 'content-type': TYPES['.html'] });
            answer.end(request.method === 'HEAD' ? '' : fs.readFileSync(path.join(OUT, '404.html')));
            return;
        }
        sent.push({ name: path.relative(OUT, file), bytes: fs.statSync(file).size });
        answer.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
        fs.createReadStream(file).pipe(answer);
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    return {
        address: `http://127.0.0.1:${server.address().port}${FOLDER}`,
        sent,
        close: () => {
            server.closeAllConnections();
            server.close();
        },
    };
}
